//! Fills the fuzzer's corpus with small classes of a JDK image.
//!
//! In: the path of `lib/modules` and of the corpus folder. Out: some hundred files there.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(image), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("needs the path of lib/modules and of the corpus folder".into());
    };
    let image = jimage_rs::JImage::open(image)?;
    std::fs::create_dir_all(&folder)?;
    for (at, resource) in image.resource_names()?.iter().enumerate() {
        let (module, path) = resource.get_full_name();
        let chosen = at % 50 == 0 || path.ends_with("module-info.class");
        if !chosen || !path.ends_with(".class") {
            continue;
        }
        let name = format!("/{module}/{path}");
        let bytes = image.find_resource(&name)?.ok_or("a listed resource is missing")?;
        if bytes.len() <= 4096 {
            std::fs::write(folder.join(name.replace('/', "_")), &bytes)?;
        }
    }
    Ok(())
}
