import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { WireCase } from '../../contract/wire-kit.ts';
import { playOverHttp } from '../wire/endpoint-of-case.ts';

const CASES = new URL('cases/', import.meta.url);

describe('more recorded answers of a real API server, over HTTP', () => {
  for (const file of readdirSync(CASES).toSorted()) {
    const testCase = JSON.parse(readFileSync(new URL(file, CASES), 'utf8')) as WireCase;
    it(`P-HTTP-1 ${testCase.name} -> as recorded`, async () => {
      expect(await playOverHttp(testCase)).toEqual([]);
    });
  }
});
