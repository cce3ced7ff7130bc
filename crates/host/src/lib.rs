//! This Linux machine as providers of management data: one file per MIB module
//! (or part of one), over `source/` which reads netlink, /proc and /sys.
