/** Taken away before the tests run. */
class Lost {}
