// Loaded into a program under test before the program itself. Whenever its parent asks, everything that nobody reaches is
// collected, and it answers what the process holds then.
import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');

process.on('message', () => {
  collect();
  collect();
  const resources = {};
  // What is due at once comes and goes.
  for (const kind of process.getActiveResourcesInfo())
    if (kind !== 'Immediate' && kind !== 'TickObject') resources[kind] = (resources[kind] ?? 0) + 1;
  process.send?.({ heapBytes: process.memoryUsage().heapUsed, resources });
});
// Being asked is no reason to live.
process.channel?.unref();
