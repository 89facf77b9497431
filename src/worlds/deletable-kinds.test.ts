import { expect, test } from 'vitest';
import { declaredKinds, deletableKinds } from './deletable-kinds.ts';

const names = deletableKinds().map(({ plural, group }) => `${plural}.${group}`);

test('P-UP-22 every built-in kind that can be deleted -> named once, those with a declaration first', () => {
  expect(new Set(names).size).toBe(names.length);
  expect(deletableKinds().slice(0, declaredKinds().length)).toEqual(declaredKinds());
  expect(names).toEqual(
    expect.arrayContaining([
      'jobs.batch',
      'rolebindings.rbac.authorization.k8s.io',
      'endpoints.',
      'leases.coordination.k8s.io',
    ]),
  );
});

test('P-UP-22 what nobody can delete, and the second view of events -> not named', () => {
  for (const name of ['bindings.', 'componentstatuses.', 'events.events.k8s.io', 'tokenreviews.authentication.k8s.io'])
    expect(names).not.toContain(name);
});
