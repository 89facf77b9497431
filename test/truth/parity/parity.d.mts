// What the in-process player uses of the recorded kit's own player.
export interface Scenario {
  readonly name: string;
  readonly shows: string;
  readonly vectors?: readonly string[];
  readonly exclusive?: boolean;
}
export interface Item {
  readonly file: string;
  readonly scenario: Scenario;
  readonly stored: Scenario;
}
export interface PlayerApi {
  call(
    method: string,
    url: string,
    body?: unknown,
    contentType?: string,
  ): Promise<{ readonly code: number; readonly body: unknown }>;
  url(target: {
    readonly kind: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly subresource?: string;
  }): string;
  watch(url: string, onEvent: (event: { readonly type: string; readonly object: unknown }) => void): Promise<unknown>;
}
export class Api {
  url: PlayerApi['url'];
}
export class Journal {
  start(api: PlayerApi): Promise<void>;
}
export interface PlayerWorld {
  readonly api: PlayerApi;
  readonly journal: Journal;
  readonly params: Readonly<Record<string, string>>;
  readonly cleanups: Promise<unknown>[];
}
export interface Result {
  readonly name: string;
  readonly passed: boolean;
  readonly ms: number;
  readonly faults: readonly string[];
}
export const time: { now: () => number; sleep: (ms: number) => Promise<void> };
export function load(paths: readonly string[], only?: RegExp): readonly Item[];
export function perform(
  item: Item,
  world: PlayerWorld,
  options: { readonly mode: 'check'; readonly runs: number; readonly keep: boolean },
): Promise<Result>;
