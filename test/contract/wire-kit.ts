// The recordings' own player and judge, as they are, on our clock: the program at the end of the file is left away, and time
// and chance are taken from the test instead of the machine.
import { readFileSync, readdirSync } from 'node:fs';

const KIT = new URL('../truth/wire/', import.meta.url);

/** A file of test/truth/wire/cases. */
export interface WireCase {
  readonly name: string;
  readonly shows: string;
  readonly optional?: boolean;
  readonly versionOrder?: readonly string[];
}
interface PlayedStep {
  readonly id: string;
}
interface Player {
  run(): Promise<readonly PlayedStep[]>;
  readonly normaliser: { versionOrder(): readonly string[] };
}
export interface WireKit {
  readonly Player: new (server: unknown, testCase: WireCase) => Player;
  readonly judge: (step: PlayedStep) => readonly string[];
  readonly time: { now: () => number; sleep: (ms: number) => Promise<void>; fraction: () => number };
}

const TIME = `
export const time = { now: () => 0, sleep: async () => undefined, fraction: () => 0 };
const sleep = (ms) => time.sleep(ms);
const Date = { now: () => time.now(), parse: globalThis.Date.parse };
`;

/** A module of its own each time: players of different tests share nothing. */
export async function loadWireKit(): Promise<WireKit> {
  const source = readFileSync(new URL('wire.mjs', KIT), 'utf8')
    .replace(/^#!.*$/m, '')
    .replace(/^const sleep = .*$/m, TIME)
    .replaceAll('Math.random()', 'time.fraction()')
    .replace(/^await main\(\);$/m, 'export { Player, judge };');
  const url = `data:text/javascript;base64,${Buffer.from(source).toString('base64')}`;
  return (await import(/* @vite-ignore */ url)) as WireKit;
}

export function wireCases(): readonly WireCase[] {
  const directory = new URL('cases/', KIT);
  const files = readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .toSorted();
  return files.map((file) => JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as WireCase);
}

/** The differences between what was recorded and what the server behind `transport` answers. */
export async function playCase(kit: WireKit, transport: unknown, testCase: WireCase): Promise<readonly string[]> {
  const player = new kit.Player(transport, testCase);
  const steps = await player.run();
  const differences = steps.flatMap((step) => kit.judge(step).map((difference) => `step ${step.id} ${difference}`));
  const order = player.normaliser.versionOrder();
  const wanted = (testCase.versionOrder ?? []).filter((token) => order.includes(token));
  const seen = order.filter((token) => wanted.includes(token));
  return wanted.join() === seen.join()
    ? differences
    : [...differences, `versions: expected ${wanted.join(' < ')}, got ${seen.join(' < ')}`];
}
