//! Manager and agents on processors of their own, as if on two machines.
//!
//! Otherwise the kernel's scheduler decides, anew in each session, whether an agent runs on the manager's processor or
//! must be woken on another one. Over the loopback of a virtual machine an answer takes some 30 microseconds in the
//! one case and 130 in the other, and long sessions see more of the second: their messages seemed to take twice as long
//! as those of short ones.

use rustix::process::{Pid, getpid};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Who runs where.
#[derive(Debug, Clone, Copy)]
pub struct Apart {
    manager: CpuSet,
    agents: CpuSet,
}

impl Apart {
    /// The first processor of this process for the manager, all others for the agents; `None` if there is only one.
    pub fn of_this_process() -> Option<Apart> {
        let all = sched_getaffinity(Some(getpid())).ok()?;
        let mut numbers = (0..CpuSet::MAX_CPU).filter(|at| all.is_set(*at));
        let (mut manager, mut agents) = (CpuSet::new(), CpuSet::new());
        manager.set(numbers.next()?);
        numbers.for_each(|at| agents.set(at));
        (agents.count() > 0).then_some(Apart { manager, agents })
    }

    /// How many processors the agents have: those of this process, if they have none of their own.
    pub fn of_agents(apart: Option<Apart>) -> u32 {
        apart.map(|it| it.agents).or_else(|| sched_getaffinity(None::<Pid>).ok()).map_or(1, |it| it.count())
    }

    /// Starts something on the agents' processors, if they have any of their own: threads and processes inherit them.
    pub fn as_agents<T>(apart: Option<Apart>, start: impl FnOnce() -> T) -> T {
        let Some(apart) = apart else { return start() };
        let before = sched_getaffinity(None::<Pid>);
        // Where it runs changes its times only.
        let _ = sched_setaffinity(None::<Pid>, &apart.agents);
        let started = start();
        if let Ok(before) = before {
            let _ = sched_setaffinity(None::<Pid>, &before);
        }
        started
    }

    /// Who runs where, or why nobody has a processor of its own, as a clause of a sentence about the place.
    pub fn describe(apart: Option<Apart>) -> &'static str {
        match apart {
            Some(_) => "; the manager runs on one processor, the agents on the others",
            None => "; manager and agents share the only processor",
        }
    }

    /// Keeps the calling thread, and what it starts from now on, on the manager's processor.
    pub fn stay_as_manager(apart: Option<Apart>) {
        if let Some(apart) = apart {
            let _ = sched_setaffinity(None::<Pid>, &apart.manager);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_share_no_processor_and_the_starter_comes_back() {
        let Some(apart) = Apart::of_this_process() else { return };
        assert_eq!(apart.manager.count(), 1);
        assert_eq!(Apart::of_agents(Some(apart)), apart.agents.count());
        assert!((0..CpuSet::MAX_CPU).all(|at| !(apart.manager.is_set(at) && apart.agents.is_set(at))));
        let here = || sched_getaffinity(None::<Pid>).unwrap();
        let thread = std::thread::spawn(move || {
            Apart::stay_as_manager(Some(apart));
            let inside = Apart::as_agents(Some(apart), here);
            (inside == apart.agents, here() == apart.manager)
        });
        assert_eq!(thread.join().unwrap(), (true, true));
    }
}
