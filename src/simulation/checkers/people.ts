import { STORYTELLER } from '../teller.ts';

const USERS: ReadonlySet<string> = new Set([STORYTELLER, 'setup']);

/** People may do what components may not. */
export const isUser = (actor: string): boolean => USERS.has(actor);
