// Ends the child processes of the stack when the parent process is gone, even after kill -9: the parent holds the other end of
// this process's standard input, which the operating system closes when the parent ends.
// Input, one line each: `+<pid> <signal>` to watch a child, `-<pid>` when it has ended.
import { createInterface } from 'node:readline';

const GRACE_MS = 5000;
const watched = new Map();

const send = (pid, signal) => {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
};

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const [pid, signal] = line.slice(1).split(' ');
  if (line.startsWith('+')) watched.set(Number(pid), signal);
  else watched.delete(Number(pid));
});
lines.on('close', () => {
  for (const [pid, signal] of watched) send(pid, signal);
  const deadline = Date.now() + GRACE_MS;
  const timer = setInterval(() => {
    for (const pid of watched.keys()) {
      if (!send(pid, 0)) watched.delete(pid);
      else if (Date.now() > deadline) send(pid, 'SIGKILL');
    }
    if (watched.size === 0) clearInterval(timer);
  }, 50);
});
