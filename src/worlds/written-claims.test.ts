import { describe, expect, it } from 'vitest';
import { aClaim, aVolume } from '../volume/makers.ts';
import { WrittenClaims } from './written-claims.ts';

describe('who hears of a written claim', () => {
  it('the claim, or a volume that names it, is written -> told; others -> not; nobody after the end', () => {
    const written = new WrittenClaims();
    const heard: string[] = [];
    const interest = written.subscribe('default/data', () => heard.push('data'));
    const data = aClaim({ name: 'data' });
    const named = aVolume({ claim: 'data' });
    written.committed({ before: undefined, after: data });
    written.committed({ before: named, after: undefined });
    written.committed({ before: undefined, after: aClaim({ name: 'other' }) });
    expect(heard).toEqual(['data', 'data']);
    interest.dispose();
    written.committed({ before: data, after: undefined });
    expect(heard).toEqual(['data', 'data']);
  });
});
