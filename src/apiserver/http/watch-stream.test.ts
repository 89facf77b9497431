import { describe, expect, it } from 'vitest';
import type { WatchEvent } from '../../kube/cluster.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { StreamOut } from './http-exchange.ts';
import { WatchStream } from './watch-stream.ts';

const event = (version: number): WatchEvent<KubeObject> => ({
  type: 'BOOKMARK',
  resourceVersion: String(version),
  initialEventsEnd: false,
});

/** A client that can be told to stop reading, with what it got. */
class Client implements StreamOut {
  readonly got: string[] = [];
  isReading = true;
  ended: 'end' | 'abort' | undefined;
  watching = true;

  write(bytes: Uint8Array): boolean {
    this.got.push(Buffer.from(bytes).toString());
    return this.isReading;
  }
  end(): void {
    this.ended = 'end';
  }
  abort(): void {
    this.ended = 'abort';
  }
}

function opened(before: number): { readonly stream: WatchStream; readonly client: Client } {
  const client = new Client();
  const stream = new WatchStream((each, isFirst) =>
    Buffer.from(`${each.type === 'BOOKMARK' ? each.resourceVersion : ''}${isFirst ? '!' : ''}`),
  );
  for (let version = 1; version <= before; version++) stream.event(event(version));
  stream.open(client, { dispose: () => (client.watching = false) });
  return { stream, client };
}

describe('WatchStream', () => {
  it('events before and after it opens -> written in order, the first marked', () => {
    const { stream, client } = opened(2);
    stream.event(event(3));
    expect(client.got).toEqual(['1!', '2', '3']);
  });

  it('a client that stops reading -> nothing more until it reads again, then all in order', () => {
    const { stream, client } = opened(0);
    client.isReading = false;
    for (const version of [1, 2, 3]) stream.event(event(version));
    expect(client.got).toEqual(['1!']);
    client.isReading = true;
    stream.drained();
    expect(client.got).toEqual(['1!', '2', '3']);
  });

  it('P-HTTP-3 a client too far behind -> cut off, and the watch let go', () => {
    const { stream, client } = opened(0);
    client.isReading = false;
    for (let version = 1; version <= 1001; version++) stream.event(event(version));
    expect(client.ended).toBeUndefined();
    stream.event(event(1002));
    expect([client.ended, client.watching]).toEqual(['abort', false]);
  });

  it('P-HTTP-3 a long beginning does not count against a client', () => {
    const client = new Client();
    const stream = new WatchStream(() => Buffer.from('x'));
    for (let version = 1; version <= 5000; version++) stream.event(event(version));
    client.isReading = false;
    stream.open(client, { dispose: () => undefined });
    for (let version = 1; version <= 900; version++) stream.event(event(version));
    expect(client.ended).toBeUndefined();
  });

  it('a watch that ends -> ended when all is written', () => {
    const { stream, client } = opened(0);
    client.isReading = false;
    stream.event(event(1));
    stream.event(event(2));
    stream.closed();
    expect(client.ended).toBeUndefined();
    client.isReading = true;
    stream.drained();
    expect([client.got, client.ended]).toEqual([['1!', '2'], 'end']);
  });
});
