/** How a command ended: the contract of every mooring command. */
export const EXIT = { fine: 0, findings: 1, usage: 2, unreachable: 3 } as const;

/** A fault that the user can mend. One line on stderr, no stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.usage) {
    super(message);
    this.exitCode = exitCode;
  }
}
