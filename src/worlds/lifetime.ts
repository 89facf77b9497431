import { setMaxListeners } from 'node:events';

/** The life of a component under test: anything may wait for its end in any number of places. */
export function lifetime(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
