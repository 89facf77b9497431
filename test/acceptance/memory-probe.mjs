// Loaded into a program under test before the program itself. Whenever its parent asks, everything that nobody reaches is
// collected, and it answers what the process holds then.
import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');

/** Comes and goes: what is due at once, and writes of the log. */
const PASSING = new Set(['Immediate', 'TickObject', 'FSReqCallback']);

process.on('message', () => {
  collect();
  collect();
  const resources = {};
  for (const kind of process.getActiveResourcesInfo())
    if (!PASSING.has(kind)) resources[kind] = (resources[kind] ?? 0) + 1;
  process.send?.({ heapBytes: process.memoryUsage().heapUsed, resources });
});
// Being asked is no reason to live.
process.channel?.unref();
