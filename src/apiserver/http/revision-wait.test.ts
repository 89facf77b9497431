import { describe, expect, it } from 'vitest';
import { SteppedClock } from '../../base/virtual-clock.ts';
import { ConfigMaps } from '../../kube/resources/config-map.ts';
import { awaitedRevision, untilReached } from './revision-wait.ts';

const list = (options: object) => awaitedRevision({ verb: 'list', resource: ConfigMaps, options });

describe('awaitedRevision', () => {
  it.each([
    [{ resourceVersion: '5' }, '5'],
    [{ resourceVersion: '5', resourceVersionMatch: 'NotOlderThan', limit: 3 }, '5'],
    [{ resourceVersion: '5', resourceVersionMatch: 'Exact' }, undefined],
    [{ resourceVersion: '5', limit: 3 }, undefined],
    [{}, undefined],
  ])('a list with %o -> waits for %s', (options, revision) => {
    expect(list(options)).toBe(revision);
  });
});

describe('untilReached', () => {
  async function waitFor(revision: string, reachedAfterMs: number): Promise<number> {
    const clock = new SteppedClock(0);
    const server = { revision: 4 };
    clock.after(reachedAfterMs, () => (server.revision = 9));
    let endedAt = -1;
    void untilReached(revision, server, clock).then(() => (endedAt = clock.now()));
    await clock.advanceTo(10_000);
    return endedAt;
  }
  it('P-HTTP-11 a revision that is there -> at once', async () => {
    expect(await waitFor('4', 100)).toBe(0);
  });
  it('P-HTTP-11 a revision that comes -> when it comes', async () => {
    expect(await waitFor('9', 1000)).toBe(1000);
  });
  it('P-HTTP-11 a revision that does not come -> after three seconds', async () => {
    expect(await waitFor('99', 9000)).toBe(3000);
  });
});
