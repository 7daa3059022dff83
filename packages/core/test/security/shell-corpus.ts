// The cases of shell.jsonl and shell-benign.jsonl, and the command that is made of one in a world.
import fs from "node:fs";

export interface Canary {
  readonly type: string;
  readonly path?: string;
  readonly mode?: boolean;
  readonly secret?: string;
  readonly text?: string;
  readonly bytes?: number;
  readonly max?: number;
  readonly max_s?: number;
  readonly marker?: string;
  readonly port?: string;
}
export interface ShellCase {
  readonly id: string;
  readonly cat: string;
  readonly cmd: string;
  readonly canary: readonly Canary[];
  readonly needs: readonly string[];
  readonly setup?: readonly string[];
  readonly timeout_s: number;
}
export interface BenignCase {
  readonly id: string;
  readonly cmd: string;
  readonly needs: readonly string[];
  readonly timeout_s: number;
  readonly expect: { readonly exit?: number; readonly stdout_re?: string };
}

export function readCases<Case>(name: string): readonly Case[] {
  const text = fs.readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Case); // our own fixture
}

export function isInstalled(program: string): boolean {
  return ["/usr/bin", "/bin", "/usr/sbin", "/usr/local/bin"].some((folder) => fs.existsSync(`${folder}/${program}`));
}
