// As whom the server acts on its own account, and as what its writes are signed.
import { MASTERS, type User } from './authorization.ts';

export const SERVER_ITSELF: User = { name: 'system:apiserver', groups: [MASTERS] };
/** The server's own client calls itself by its program. */
export const ITS_FIELD_MANAGER = 'kube-apiserver';
