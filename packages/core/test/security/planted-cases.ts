// Files and configurations that programs outside of the sandbox run or obey, as a command plants them: `$RUN` is what must not run.

export interface PlantedCase {
  readonly id: string;
  /** Run by a shell in a folder of its own. */
  readonly plant: string;
}

const commit = "git -c user.name=a -c user.email=a@b commit -qm x";
const made = `git init -q . && echo x > f && git add f && ${commit}`;
const set = (key: string, value = "$RUN; false"): string => `git config ${key} "${value}"`;

/** git itself is the watcher: status, diff, log and branch in every folder. */
const OF_GIT: readonly (readonly [id: string, plant: string])[] = [
  ["fsmonitor", `${made} && ${set("core.fsmonitor")}`],
  ["fsmonitor-by-hand", `git init -q . && printf '[core]\\n\\tfsmonitor = "%s; false"\\n' "$RUN" >> .git/config`],
  ["fsmonitor-capitals", `git init -q . && printf '[CORE]\\n\\tFsMonitor = "%s; false"\\n' "$RUN" >> .git/config`],
  ["fsmonitor-one-line", `git init -q . && printf '[core] fsmonitor = "%s; false"\\n' "$RUN" >> .git/config`],
  ["fsmonitor-cut", `git init -q . && printf '[core]\\n\\tfsmonitor = \\\\\\n"%s; false"\\n' "$RUN" >> .git/config`],
  [
    "include",
    `git init -q . && printf '[core]\\n\\tfsmonitor = "%s; false"\\n' "$RUN" > evil && git config include.path ../evil`,
  ],
  [
    "include-if",
    `git init -q . && printf '[core]\\n\\tfsmonitor = "%s; false"\\n' "$RUN" > evil && git config includeIf.gitdir:/.path "$PWD/evil"`,
  ],
  [
    "bare-trap",
    `git init -q --bare deep && cd deep && git config core.bare false && git config core.worktree .. && ${set("core.fsmonitor")}`,
  ],
  [
    "commondir",
    `git init -q real && mkdir -p trap/refs && cp real/.git/HEAD trap/ && echo ../real/.git > trap/commondir && (cd real && ${set("core.fsmonitor")}) && mv real/.git real/git && echo ../real/git > trap/commondir && echo 'gitdir: trap' > .git`,
  ],
  [
    "git-file",
    `git init -q --bare hidden && (cd hidden && git config core.bare false && git config core.worktree "$PWD/.." && ${set("core.fsmonitor")}) && echo 'gitdir: hidden' > .git`,
  ],
  ["git-link", `git init -q other && (cd other && ${set("core.fsmonitor")}) && mv other/.git kept && ln -s kept .git`],
  ["config-link", `git init -q . && ${set("core.fsmonitor")} && mv .git/config evil && ln -s ../evil .git/config`],
  [
    "worktree-config",
    `git init -q . && git config extensions.worktreeConfig true && git config --worktree core.fsmonitor "$RUN; false"`,
  ],
  [
    "worktree",
    `git init -q own && cd own && echo x > f && git add f && ${commit} && git worktree add -q ../tree && ${set("core.fsmonitor")}`,
  ],
  [
    "submodule",
    `git init -q lib && (cd lib && echo x > f && git add f && ${commit}) && git init -q . && git -c protocol.file.allow=always submodule --quiet add ./lib sub && (cd sub && ${set("core.fsmonitor")})`,
  ],
  [
    "hooks-path",
    `${made} && mkdir h && printf '#!/bin/sh\\n%s\\n' "$RUN" > h/post-index-change && chmod +x h/post-index-change && git config core.hooksPath h && touch -d '1 hour ago' f`,
  ],
  [
    "hook",
    `${made} && printf '#!/bin/sh\\n%s\\n' "$RUN" > .git/hooks/post-index-change && chmod +x .git/hooks/post-index-change && touch -d '1 hour ago' f`,
  ],
  [
    "hooks-link",
    `${made} && mkdir h && printf '#!/bin/sh\\n%s\\n' "$RUN" > h/post-index-change && chmod +x h/post-index-change && rm -r .git/hooks && ln -s ../h .git/hooks && touch -d '1 hour ago' f`,
  ],
  ["filter", `${made} && echo '* filter=x' > .gitattributes && ${set("filter.x.clean", "$RUN; cat")} && echo y > f`],
  ["filter-process", `${made} && echo '* filter=x' > .gitattributes && ${set("filter.x.process")} && echo y > f`],
  ["diff-external", `${made} && ${set("diff.external")} && echo y > f`],
  ["textconv", `${made} && echo '* diff=x' > .gitattributes && ${set("diff.x.textconv", "$RUN; cat")} && echo y > f`],
];

/** Programs that obey a file of this name: the watcher does as they do, once it has been there for the time they take. */
const BY_NAME =
  `.envrc .mise.toml mise.toml .tool-versions .vscode/tasks.json .vscode/settings.json .idea/workspace.xml .devcontainer/devcontainer.json
  .devcontainer.json a.code-workspace .vimrc .exrc .nvim.lua .nvimrc .dir-locals.el .cargo/config.toml .cargo/config .yarnrc .yarnrc.yml .npmrc .pnpmfile.cjs
  .husky/pre-commit .gdbinit .lldbinit .mcp.json .claude/settings.json .cursor/mcp.json .cursorrules .windsurfrules CLAUDE.md GEMINI.md AGENTS.md
  .github/copilot-instructions.md .zed/tasks.json .helix/languages.toml`
    .split(/\s+/)
    .map((name) => [name, `mkdir -p "$(dirname '${name}')" && echo "#run: $RUN" > '${name}'`]) as readonly (readonly [
    id: string,
    plant: string,
  ])[];

export const PLANTED: readonly PlantedCase[] = [...OF_GIT, ...BY_NAME].map(([id, plant]) => ({
  id: id.replaceAll(/[^a-zA-Z0-9-]/g, "_"),
  plant,
}));
/** What the watcher takes for a file that is obeyed. */
export const OBEYED: readonly string[] = BY_NAME.map(([name]) => name);
