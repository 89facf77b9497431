// What every implementation of Cluster must do, as far as a client can see it. A subject may be the API server in this
// process, our client over HTTP, or a real API server: nothing here looks behind the interface.
import { describe } from 'vitest';
import { deletionContract } from './contract-deletion.ts';
import { listsContract } from './contract-lists.ts';
import type { ContractSubject, MakeSubject, Using } from './contract-subject.ts';
import { subresourcesContract } from './contract-subresources.ts';
import { watchesContract } from './contract-watches.ts';
import { writesContract } from './contract-writes.ts';

export function clusterContract(name: string, makeSubject: MakeSubject): void {
  const using: Using = (test: (subject: ContractSubject) => Promise<void>) => async () => {
    const subject = await makeSubject();
    try {
      await test(subject);
    } finally {
      await subject.dispose();
    }
  };
  describe(`cluster contract: ${name}`, () => {
    writesContract(using);
    deletionContract(using);
    listsContract(using);
    watchesContract(using);
    subresourcesContract(using);
  });
}
