/** The process's environment, read in one place. */
import { homedir } from "node:os";

export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  readonly currentDirectory: string;
}

export function processEnvironment(): Environment {
  return { env: process.env, userHome: homedir(), currentDirectory: process.cwd() };
}
