import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { WireCase } from '../../contract/wire-kit.ts';
import { playOverHttp } from '../wire/endpoint-of-case.ts';

const CASES = new URL('cases/', import.meta.url);

describe('who may do what, as a real API server answers', () => {
  for (const file of readdirSync(CASES).toSorted()) {
    const testCase = JSON.parse(readFileSync(new URL(file, CASES), 'utf8')) as WireCase;
    it(`P-RBAC-1 P-NODE-1 P-SA-1 ${testCase.name} -> as recorded`, async () => {
      expect(await playOverHttp(testCase)).toEqual([]);
    });
  }
});
