/**
 * A git configuration judged by the keys it may have: all others are bad, since many make git run a program and each version of
 * git adds to them. Only the plain form is understood that git itself writes; what is not understood is bad too.
 * Source: git-config(1), "Syntax" and "Variables".
 */

export interface JudgedConfig {
  /** As `section.sub.key`, or the line that was not understood, cut. Empty: the text is good as it is. */
  readonly bad: readonly string[];
  /** What is left of it: good lines, as they were. */
  readonly text: string;
}

export interface ConfigPlace {
  /** Where a submodule's `core.worktree` leads is looked at by whoever knows where it lies. Default: none may have one. */
  readonly isWorktree?: (path: string) => boolean;
  /** What stood there before and may stay, whatever it is: the person put it there. */
  readonly before?: string;
}

const MAX_SHOWN = 60;

/** `section.key`, where a section has no name of its own. */
const PLAIN = new Set(
  [
    "core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode core.symlinks",
    "core.autocrlf core.eol core.safecrlf core.abbrev core.quotepath core.sparsecheckout core.sparsecheckoutcone core.untrackedcache",
    "core.splitindex core.commitgraph core.multipackindex core.preloadindex core.trustctime core.checkstat core.whitespace",
    "core.sharedrepository core.compression core.bigfilethreshold core.maxtreedepth core.warnambiguousrefs core.protectntfs core.protecthfs",
    "extensions.objectformat extensions.compatobjectformat extensions.worktreeconfig extensions.partialclone extensions.refstorage",
    "extensions.noop extensions.preciousobjects extensions.relativeworktrees",
    "user.name user.email author.name author.email committer.name committer.email",
    "init.defaultbranch pull.rebase pull.ff push.default push.autosetupremote push.followtags fetch.prune fetch.prunetags fetch.parallel",
    "merge.ff merge.conflictstyle rebase.autostash rebase.autosquash rebase.updaterefs rerere.enabled rerere.autoupdate",
    "branch.autosetupmerge branch.autosetuprebase checkout.defaultremote clone.defaultremotename submodule.active submodule.recurse",
    "status.showuntrackedfiles status.submodulesummary diff.algorithm diff.renames diff.renamelimit diff.mnemonicprefix diff.submodule",
    "commit.verbose log.date log.decorate log.follow gc.auto gc.autodetach maintenance.auto maintenance.strategy index.version",
    "index.threads index.sparse index.skiphash feature.manyfiles feature.experimental color.ui tag.sort branch.sort column.ui help.autocorrect",
    "lfs.repositoryformatversion receive.denycurrentbranch receive.denynonfastforwards receive.denydeletes transfer.fsckobjects fetch.fsckobjects",
  ].flatMap((line) => line.split(" ")),
);
/** `section.*.key`, where it has one. `address`: leads to a repository, and never to a program. */
const NAMED: ReadonlyMap<string, "any" | "address" | "update"> = new Map([
  ...[
    "fetch",
    "push",
    "prune",
    "prunetags",
    "tagopt",
    "mirror",
    "promisor",
    "partialclonefilter",
    "followremotehead",
  ].map((key) => [`remote.${key}`, "any"] as const),
  ...["skipdefaultupdate", "skipfetchall"].map((key) => [`remote.${key}`, "any"] as const),
  ...["remote.url", "remote.pushurl", "branch.remote", "branch.pushremote", "submodule.url"].map(
    (key) => [key, "address"] as const,
  ),
  ...["merge", "rebase", "description", "vscode-merge-base", "gh-merge-base"].map(
    (key) => [`branch.${key}`, "any"] as const,
  ),
  ...["active", "branch", "ignore", "fetchrecursesubmodules", "shallow"].map(
    (key) => [`submodule.${key}`, "any"] as const,
  ),
  ["submodule.update", "update"],
  ["lfs.access", "any"],
  ["lfs.locksverify", "any"],
]);
/** A switch turned off runs nothing. */
const OFF = new Map([
  ["core.fsmonitor", new Set(["false", "0", "no", "off"])],
  ["commit.gpgsign", new Set(["false", "0", "no", "off"])],
  ["tag.gpgsign", new Set(["false", "0", "no", "off"])],
]);

export function judgeGitConfig(text: string, place: ConfigPlace = {}): JudgedConfig {
  const kept = new Set(place.before === undefined ? [] : entriesOf(place.before).map(({ id }) => id));
  const bad: string[] = [];
  const good: string[] = [];
  for (const line of linesOf(text)) {
    if (line.kind === "unclear") bad.push(shown(line.text.trim()));
    else if (line.kind === "entry" && !kept.has(line.id) && !isGood(line, place)) bad.push(shown(line.key));
    else good.push(line.text);
  }
  return { bad: [...new Set(bad)], text: good.map((line) => `${line}\n`).join("") };
}

interface Entry {
  readonly kind: "entry";
  readonly text: string;
  /** Small letters: `core.bare`; of a named section without its name: `remote.url`. */
  readonly plain: string;
  readonly isNamed: boolean;
  /** As people write it: `remote.origin.url`. */
  readonly key: string;
  readonly value: string;
  /** Equal for entries that say the same. */
  readonly id: string;
}
interface Other {
  readonly kind: "blank" | "section" | "unclear";
  readonly text: string;
}
type Line = Entry | Other;

function linesOf(text: string): readonly Line[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  let section: { readonly name: string; readonly sub: string | undefined } | undefined;
  return lines.map((line): Line => {
    // What another reader takes for an end of line, or for nothing, git may take for something else.
    // oxlint-disable-next-line no-control-regex -- they are looked for
    if (/[\u0000-\u0008\u000b-\u001f\u007f\ufeff]/.test(line)) return { kind: "unclear", text: line };
    if (/^[ \t]*(?:[#;].*)?$/.test(line)) return { kind: "blank", text: line };
    const header = /^[ \t]*\[([A-Za-z0-9-]+)(?:[ \t]+"((?:[^"\\]|\\["\\])*)")?\][ \t]*$/.exec(line);
    if (header !== null) {
      section = { name: (header[1] ?? "").toLowerCase(), sub: header[2]?.replaceAll(/\\(["\\])/g, "$1") };
      return { kind: "section", text: line };
    }
    const entry = /^[ \t]*([A-Za-z][A-Za-z0-9-]*)(?:[ \t]*=[ \t]*(.*?))?[ \t]*$/.exec(line);
    const value = entry === null ? undefined : entry[2] === undefined ? "true" : valueOf(entry[2]);
    if (section === undefined || entry === null || value === undefined) return { kind: "unclear", text: line };
    const key = (entry[1] ?? "").toLowerCase();
    const { name, sub } = section;
    const full = [name, ...(sub === undefined ? [] : [sub]), key].join(".");
    const id = JSON.stringify([name, sub ?? null, key, value]);
    return { kind: "entry", text: line, plain: `${name}.${key}`, isNamed: sub !== undefined, key: full, value, id };
  });
}

function entriesOf(text: string): readonly Entry[] {
  return linesOf(text).filter((line) => line.kind === "entry");
}

/** @returns undefined for what goes on in the next line, or ends in quotes. */
function valueOf(written: string): string | undefined {
  let value = "";
  let quoted = false;
  for (let at = 0; at < written.length; at += 1) {
    const letter = written[at] ?? "";
    if (letter === '"') quoted = !quoted;
    else if (letter === "\\") {
      const meant = ESCAPES.get(written[(at += 1)] ?? "");
      if (meant === undefined) return undefined;
      value += meant;
    } else if (!quoted && (letter === "#" || letter === ";")) break;
    else value += letter;
  }
  return quoted ? undefined : value.trimEnd();
}

const ESCAPES = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["n", "\n"],
  ["t", "\t"],
  ["b", "\b"],
]);

function isGood({ plain, isNamed, value }: Entry, { isWorktree }: ConfigPlace): boolean {
  if (!isNamed) {
    if (plain === "core.worktree") return isWorktree?.(value) === true;
    return PLAIN.has(plain) || plain.startsWith("advice.") || OFF.get(plain)?.has(value.toLowerCase()) === true;
  }
  switch (NAMED.get(plain)) {
    case "any":
      return true;
    case "address":
      return !value.includes("::") && !/(?:^|:\/\/)-/.test(value) && !value.includes("\n");
    case "update":
      return ["checkout", "rebase", "merge", "none"].includes(value);
    case undefined:
      return false;
  }
}

function shown(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1)}…`;
}
