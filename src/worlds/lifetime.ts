import { setMaxListeners } from 'node:events';

/** A life that anything may wait for the end of, in any number of places. */
export function lifetime(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
