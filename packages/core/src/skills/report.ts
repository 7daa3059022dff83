/** What an operator sees before they approve a skill: what it is, what it brings, what it needs, what is odd about it. */
import { parseSkillText } from "./frontmatter.ts";
import { readHead, type SkillHead } from "./head.ts";
import { readSkillFiles, type SkillFile } from "./skill-files.ts";

export interface SkillReport {
  readonly name: string;
  readonly hash: string;
  readonly bytes: number;
  readonly files: readonly SkillFile[];
  /** Programs: executable, or begun or named like one. */
  readonly scripts: readonly string[];
  /** Hosts that its files name, its own requirements included. */
  readonly hosts: readonly string[];
  /** Absent when it cannot be loaded. */
  readonly head?: SkillHead;
  readonly body: string;
  /** Why it would not load. */
  readonly reason?: string;
  /** Departures from agentskills.io: warnings for what is read, errors for what is written. */
  readonly problems: readonly string[];
  /** Files with characters that people do not see. */
  readonly invisible: readonly string[];
}

const SCRIPT = /\.(?:sh|bash|zsh|fish|ps1|bat|cmd|py|rb|pl|js|mjs|cjs|ts|mts|lua|php|exe|dll|so|dylib|jar|wasm)$/i;
const MAX_HOSTS = 50;
/** Zero width, direction marks, tags: text that is read differently from how it looks, but for the joiners of emoji. */
const INVISIBLE =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u{e0000}-\u{e007f}]/u;

/** @throws RuntimeError `skill.refused` when its files are not within bounds. */
export async function reportSkill(directory: string, name: string, signal: AbortSignal): Promise<SkillReport> {
  const hosts = new Set<string>();
  const invisible: string[] = [];
  const begun = new Set<string>();
  const { files, bytes, hash, text } = await readSkillFiles(directory, signal, (path, content) => {
    if (content[0] === 0x23 && content[1] === 0x21) begun.add(path); // #!
    if (content.includes(0)) return; // not text
    const readable = content.toString("utf8");
    for (const host of hostsIn(readable)) hosts.add(host);
    if (INVISIBLE.test(readable)) invisible.push(path);
  });
  const parsed = await parseSkillText(text);
  const read = parsed.ok ? readHead(parsed.fields, name) : parsed;
  const problems = [
    ...(parsed.ok && parsed.repaired ? ["the frontmatter is not valid YAML: put values with a colon in quotes"] : []),
    ...("problems" in read ? read.problems : []),
  ];
  if (read.ok) for (const host of read.head.requires.hosts) hosts.add(host);
  return {
    name,
    hash,
    bytes,
    files,
    scripts: files
      .filter((file) => file.executable || begun.has(file.path) || SCRIPT.test(file.path))
      .map((file) => file.path),
    hosts: [...hosts].toSorted().slice(0, MAX_HOSTS),
    body: parsed.ok ? parsed.body : text,
    problems,
    invisible,
    ...(read.ok ? { head: read.head } : { reason: read.reason }),
  };
}

function hostsIn(text: string): readonly string[] {
  return [
    ...text.matchAll(
      /\b(?:https?|wss?|ftp|ssh|git):\/\/(?:[^\s/@"'`<>]*@)?([a-z0-9.-]+\.[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost)/gi,
    ),
  ].map(([, host = ""]) => host.toLowerCase());
}
