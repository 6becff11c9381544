//! The calls that are measured.
//!
//! In: the library. Out: [`Mix`]: sequences of twenty steps over java.util, java.lang and, where it is there,
//! commons-lang3, written as scripts. Literals, constructors and calls only, so that every way of running them can.

use std::collections::BTreeSet;

use probat_model::{ClassName, Operation, OperationTable, Sequence, Step, StepId};
use probat_script::Script;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::library::Library;

/// How long every sequence is.
pub const STEPS: usize = 20;

/// Sequences over one table.
#[derive(Debug, Default)]
pub struct Mix {
    pub table: OperationTable,
    pub sequences: Vec<Sequence>,
}

impl Mix {
    /// The sequences that the library has the classes for.
    pub fn new(library: &Library, with_commons: bool) -> Result<Mix, Failure> {
        let mut mix = Mix::default();
        let commons = if with_commons { &COMMONS[..] } else { &[] };
        for text in JDK.iter().chain(commons) {
            let script = probat_script::read(text, library).map_err(|problems| {
                let shown: String = problems.iter().map(|problem| problem.render("mix", text)).collect();
                Failure::new(Exit::Missing, format!("the calls to measure are not all there:\n{shown}"))
                    .hint("use another JDK or another commons-lang3")
            })?;
            mix.add(&script);
        }
        Ok(mix)
    }

    fn add(&mut self, script: &Script) {
        assert_eq!(script.sequence.len(), STEPS, "every sequence of the mix has as many steps");
        let steps = script.sequence.steps().iter().map(|step| Step {
            operation: self.table.intern(script.table.get(step.operation).clone()),
            args: step.args.clone(),
        });
        let steps: Vec<Step> = steps.collect();
        let sequence = Sequence::from_steps(&self.table, steps).expect("it was a sequence before");
        self.sequences.push(sequence);
    }

    /// Constructors and methods called by a sequence.
    pub fn calls_of(&self, sequence: &Sequence) -> u64 {
        let steps = sequence.steps().iter();
        steps.filter(|step| !matches!(self.table.get(step.operation), Operation::Literal(_))).count() as u64
    }

    /// Calls of all sequences once.
    pub fn calls(&self) -> u64 {
        self.sequences.iter().map(|sequence| self.calls_of(sequence)).sum()
    }

    /// Classes whose members are called.
    pub fn classes(&self) -> BTreeSet<ClassName> {
        let classes = self.table.since(0).iter().filter_map(|operation| match operation {
            Operation::Construct { class, .. }
            | Operation::CallStatic { class, .. }
            | Operation::Call { class, .. } => Some(class.clone()),
            _ => None,
        });
        classes.collect()
    }

    /// The receiver of the last virtual call.
    pub fn last_receiver(&self, sequence: &Sequence) -> Option<StepId> {
        let mut steps = sequence.steps().iter().rev();
        steps.find_map(|step| match self.table.get(step.operation) {
            Operation::Call { .. } => step.args.first().copied(),
            _ => None,
        })
    }
}

const JDK: [&str; 8] = [
    "import java.util.*
     list = new ArrayList(); x = \"alpha\"; list.add(x); y = \"beta\"; list.add(y); list.size(); i = 0; list.get(i)
     list.contains(y); list.indexOf(y); list.isEmpty(); it = list.iterator(); it.hasNext(); it.next()
     list.hashCode(); list.toString(); list.set(i, y); list.remove(x); list.equals(list); list.clear()",
    "import java.util.*
     m = new HashMap(); n = 7; k = Integer.valueOf(n); v = \"seven\"; m.put(k, v); m.get(k); m.containsKey(k); m.size()
     s = m.keySet(); s.contains(k); m.getOrDefault(k, v); m.putIfAbsent(k, v); c = m.values(); c.size()
     m.entrySet(); m.hashCode(); m.isEmpty(); m.replace(k, v); m.remove(k); m.toString()",
    "import java.util.*
     t = new TreeMap(); a = \"a\"; b = \"b\"; t.put(a, a); t.put(b, a); t.firstKey(); t.lastKey(); t.get(a)
     t.containsKey(b); h = t.headMap(b); h.size(); t.floorKey(a); t.higherKey(a); t.size(); t.ceilingKey(b)
     t.pollFirstEntry(); t.lastEntry(); t.isEmpty(); t.clear(); t.size()",
    "sb = new StringBuilder(); w = \"probat\"; sb.append(w); n = 42; sb.append(n); sb.length(); sb.reverse(); i = 0
     sb.insert(i, w); sb.indexOf(w); sb.charAt(i); sb.deleteCharAt(i); sb.capacity(); sb.toString(); sb.append(w)
     sb.lastIndexOf(w); sb.substring(i); sb.setLength(n); sb.length(); sb.toString()",
    "s = \" Hello, World \"; s.length(); t = s.trim(); u = t.toUpperCase(); u.toLowerCase(); i = 3; t.substring(i)
     t.charAt(i); t.indexOf(u); t.concat(u); t.equals(u); t.equalsIgnoreCase(u); t.hashCode(); t.compareTo(u)
     t.startsWith(u); t.contains(u); t.isEmpty(); t.replace(t, u); t.endsWith(u); t.lastIndexOf(i)",
    "d = \"42\"; n = Integer.parseInt(d); Integer.toHexString(n); Integer.bitCount(n); b = Integer.valueOf(n)
     b.intValue(); b.hashCode(); b.equals(b); b.compareTo(b); l = Long.parseLong(d); Long.numberOfTrailingZeros(l)
     Long.toString(l); Math.abs(n); Math.max(n, n); Character.isDigit(n); Integer.reverse(n); Integer.toString(n)
     Long.hashCode(l); Math.floorMod(n, n); Integer.compare(n, n)",
    "import java.util.*
     q = new ArrayDeque(); a = \"job\"; q.addLast(a); q.addFirst(a); q.size(); q.peekFirst(); q.pollLast(); q.contains(a)
     q.isEmpty(); p = new PriorityQueue(); p.add(a); p.peek(); p.poll(); s = new BitSet(); n = 70; s.set(n)
     s.cardinality(); s.nextSetBit(n); s.get(n); s.toString()",
    "import java.util.*
     l = new LinkedList(); a = \"x\"; l.add(a); l.addFirst(a); l.getLast(); h = new HashSet(); h.add(a); h.addAll(l)
     h.contains(a); h.size(); e = Collections.unmodifiableList(l); e.size(); Collections.reverse(l)
     Collections.frequency(l, a); Objects.hashCode(a); Objects.equals(a, a); o = Optional.of(a); o.isPresent()
     o.get(); h.hashCode()",
];

const COMMONS: [&str; 3] = [
    "import org.apache.commons.lang3.*
     s = \"  probat tests \"; StringUtils.isBlank(s); t = StringUtils.strip(s); StringUtils.reverse(t)
     c = StringUtils.capitalize(t); StringUtils.swapCase(c); x = \"t\"; StringUtils.countMatches(t, x); n = 20
     StringUtils.leftPad(t, n); StringUtils.repeat(x, n); StringUtils.contains(t, x); StringUtils.indexOf(t, x)
     StringUtils.substringBefore(t, x); StringUtils.remove(t, x); StringUtils.isNumeric(t)
     StringUtils.defaultString(t); StringUtils.equals(t, c); StringUtils.chomp(t); StringUtils.abbreviate(t, n)",
    "import org.apache.commons.lang3.math.*
     import org.apache.commons.lang3.mutable.*
     import org.apache.commons.lang3.tuple.*
     d = \"17\"; n = NumberUtils.toInt(d); NumberUtils.isCreatable(d); NumberUtils.max(n, n, n); m = new MutableInt(n)
     m.increment(); m.intValue(); m.add(n); m.getValue(); m.compareTo(m); p = ImmutablePair.of(d, d); p.getLeft()
     p.getRight(); p.hashCode(); p.equals(p); p.toString(); f = Fraction.getFraction(n, n); f.reduce(); f.hashCode()
     f.toString()",
    "import org.apache.commons.lang3.*
     import org.apache.commons.lang3.builder.*
     b = true; BooleanUtils.toInteger(b); BooleanUtils.toStringYesNo(b); x = BooleanUtils.toStringTrueFalse(b)
     BooleanUtils.toBoolean(x); c = 'q'; CharUtils.isAscii(c); CharUtils.toString(c); CharUtils.isAsciiAlpha(c)
     ClassUtils.getShortClassName(x); ObjectUtils.compare(x, x); ObjectUtils.isEmpty(x); h = new HashCodeBuilder()
     h.append(x); h.append(b); h.toHashCode(); e = new EqualsBuilder(); e.append(x, x); e.isEquals()
     CharUtils.unicodeEscaped(c)",
];
