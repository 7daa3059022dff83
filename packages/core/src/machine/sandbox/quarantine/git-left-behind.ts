/** What makes git run a program in a repository, or leads it to another one. Source: gitrepository-layout(5), githooks(5). */
import fs from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { judgeGitConfig } from "../../../lib/paths/git-config.ts";
import { isInside } from "../../files/paths.ts";
import { type Lease, MAX_CONFIG_BYTES } from "../leases.ts";
import type { Survey } from "../survey.ts";
import { identityAt, type LeftBehind, namesIn, statsAt, textAt } from "./entries.ts";

const CONFIGS = ["config", "config.worktree"] as const;

export function gitLeftBehind(lease: Lease, survey: Survey, isNew: (path: string) => boolean): readonly LeftBehind[] {
  const { workspace } = lease;
  const repositories = new Set(survey.repositories);
  const context = { lease, repositories, isNew };
  const doors = [...survey.named, ...survey.links, ...survey.vendored]
    .filter((path) => basename(path) === ".git" && isNew(path) && !leadsHome(path, workspace))
    .map((path) => ({ path, why: ".git leads elsewhere" }));
  return [...survey.repositories.flatMap((repository) => ofRepository(repository, context)), ...doors];
}

interface Context {
  readonly lease: Lease;
  readonly repositories: ReadonlySet<string>;
  readonly isNew: (path: string) => boolean;
}

function ofRepository(repository: string, { lease, repositories, isNew }: Context): readonly LeftBehind[] {
  const found: LeftBehind[] = [];
  const isWrong = (name: string, isRight: (text: string) => boolean): void => {
    const path = join(repository, name);
    if (!isNew(path)) return;
    const text = textAt(lease.workspace, path, MAX_CONFIG_BYTES);
    if (text === undefined || !isRight(text)) found.push({ path, why: `${basename(name)} leads elsewhere` });
  };
  for (const name of CONFIGS) found.push(...ofConfig(join(repository, name), lease, isNew));
  const hooks = join(repository, "hooks");
  if (isNew(hooks) && statsAt(hooks)?.isDirectory() !== true) found.push({ path: hooks, why: "hooks" });
  else if (!lease.known.includes(identityAt(hooks) ?? ""))
    for (const name of namesIn(hooks))
      if (!name.endsWith(".sample") && isNew(join(hooks, name)))
        found.push({ path: join(hooks, name), why: `hook ${name}` });
  const owner = ownerOfWorktree(repository);
  isWrong(
    "commondir",
    (text) => owner !== undefined && repositories.has(owner) && resolve(repository, line(text)) === owner,
  );
  isWrong("gitdir", (text) => isInside(lease.workspace, resolve(repository, line(text))));
  isWrong(join("objects", "info", "alternates"), (text) =>
    text
      .split("\n")
      .filter((one) => one !== "" && !one.startsWith("#"))
      .every((one) => !one.startsWith('"') && isReally(lease.workspace, resolve(repository, "objects", one))),
  );
  return found;
}

function ofConfig(path: string, lease: Lease, isNew: (path: string) => boolean): readonly LeftBehind[] {
  if (!isNew(path)) return [];
  const text = textAt(lease.workspace, path, MAX_CONFIG_BYTES);
  // A folder, a link, or one that nobody may read: git would read it, or take it away.
  if (text === undefined) return [{ path, why: `${basename(path)} is no plain file` }];
  const before = lease.configs[path];
  const judged = judgeGitConfig(text, {
    isWorktree: (to) => isOwnWorktree(dirname(path), to),
    ...(before !== undefined && { before }),
  });
  return judged.bad.length === 0 ? [] : [{ path, why: judged.bad.slice(0, MAX_KEYS).join(", "), rest: judged.text }];
}

const MAX_KEYS = 3;

/** A submodule's repository lies in `.git/modules`, and its files beside that `.git`. */
function isOwnWorktree(repository: string, to: string): boolean {
  const parts = repository.split(sep);
  const at = parts.lastIndexOf("modules");
  if (at < 1 || parts[at - 1] !== ".git") return false;
  const outer = parts.slice(0, at - 1).join(sep);
  const target = resolve(repository, to);
  return target !== outer && isReally(outer, target) && !isInside(join(outer, ".git"), target);
}

/** @returns the repository whose worktree this place is about: `REPOSITORY/worktrees/NAME`. */
function ownerOfWorktree(place: string): string | undefined {
  const folder = dirname(place);
  return basename(folder) === "worktrees" ? dirname(folder) : undefined;
}

/** A file in place of `.git`: what it leads to in this workspace is looked at, if it is a repository. */
function leadsHome(path: string, workspace: string): boolean {
  const target = /^gitdir: (.+)$/.exec(line(textAt(workspace, path, MAX_CONFIG_BYTES) ?? ""))?.[1];
  if (target === undefined) return false;
  return isReally(workspace, resolve(dirname(path), target));
}

/** Also without what links make of it. */
function isReally(root: string, path: string): boolean {
  if (!isInside(root, path)) return false;
  try {
    return isInside(root, fs.realpathSync(path));
  } catch {
    return true; // nothing is there yet: what comes there is looked at then
  }
}

function line(text: string): string {
  return text.replace(/\n$/, "");
}
