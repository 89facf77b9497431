// A real etcd of a test's own.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Etcd } from '../../src/apiserver/storage/etcd/etcd-messages.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import { openChannel } from '../../src/grpc/channel.ts';
import { freePorts } from '../free-ports.ts';

export class StartedEtcd {
  readonly #program: string;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'mooring-etcd-'));
  readonly #ports: readonly number[];
  #process: ChildProcess | undefined;

  private constructor(program: string, ports: readonly number[]) {
    this.#program = program;
    this.#ports = ports;
  }

  static async start(program: string): Promise<StartedEtcd> {
    const etcd = new StartedEtcd(program, await freePorts(2));
    await etcd.restart();
    return etcd;
  }

  /** `127.0.0.1:2379` */
  get address(): string {
    return `127.0.0.1:${this.#ports[0]}`;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Killed, if it runs, and started again on the same data. */
  async restart(): Promise<void> {
    await this.#kill();
    const client = `http://${this.address}`;
    const peer = `http://127.0.0.1:${this.#ports[1]}`;
    const words = ['--data-dir', this.#folder, '--listen-client-urls', client, '--advertise-client-urls', client];
    const peerWords = ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer];
    const cluster = ['--initial-cluster', `default=${peer}`, '--log-level', 'error'];
    this.#process = spawn(this.#program, [...words, ...peerWords, ...cluster], { stdio: 'ignore' });
    const channel = await openChannel({ address: this.address, clock: new SystemClock() });
    await channel.unary(Etcd.status, {}, { waitForReady: true, deadlineMs: 60_000 });
    channel.close();
  }

  async stop(): Promise<void> {
    await this.#kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #kill(): Promise<void> {
    const running = this.#process;
    if (running === undefined) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await ended;
    this.#process = undefined;
  }
}
