/**
 * Files that programs outside of the sandbox obey later, and that steer the agent: one list for the policy, the sandbox, the file
 * tools and what is told to people.
 *
 * - *By itself*: when somebody enters a folder, opens it in an editor, or types `git status`. A command leaves none behind.
 * - *When called*: when somebody starts it. It stays, and is named.
 *
 * What git obeys (its configuration, hooks, and files that lead it elsewhere) is known by where it lies: `git-config.ts`.
 */

/** In the top directory of the workspace: what the agent is told to be, to know and to do. */
export const TOP_NAMES: readonly string[] =
  "AGENTS.md SOUL.md USER.md TOOLS.md HEARTBEAT.md IDENTITY.md memory skills personas".split(" ");

/**
 * In any folder. With `/`: only below a folder of that name. A star at an end stands for any letters.
 * Sources: the manuals of direnv, mise, asdf, VS Code, JetBrains, Zed, Helix, Vim, Neovim, Emacs, cargo, npm, pnpm, yarn, gdb, lldb, Mercurial, jj, and of
 * the agents that are named.
 */
const BY_ITSELF: readonly string[] = [
  ..."agents.md claude.md claude.local.md gemini.md .mcp.json".split(" "),
  ..."agents.override.md .claude .cursor .cursorrules .windsurf .windsurfrules .clinerules .codex .gemini .opencode".split(
    " ",
  ),
  ".github/copilot-instructions.md",
  ".github/instructions",
  ..."*.code-workspace *.sublime-project .vscode .idea .fleet .zed .helix .devcontainer .devcontainer.json".split(" "),
  ..."mise.toml .mise.toml mise.local.toml .mise.local.toml .mise .config/mise* .tool-versions .rtx.toml".split(" "),
  ..."mise/config.toml .envrc .vimrc .gvimrc .exrc .lvimrc .nvim.lua .nvimrc .dir-locals.el .dir-locals-2.el".split(
    " ",
  ),
  ..."npmrc yarnrc yarnrc.yml pnpmfile.cjs pnpmfile.mjs husky gdbinit lldbinit hg/hgrc"
    .split(" ")
    .map((name) => `.${name}`),
  ".cargo/config*",
  ".jj/repo/config.toml",
];

/** Where the workspace is a home directory, at its top: what shells and programs of that user read. */
const AT_HOME: readonly string[] = [
  ..."ssh gnupg bashrc bash_profile bash_login bash_logout bash_aliases profile zshrc zshenv zprofile zlogin gitconfig".split(
    " ",
  ),
  ..."inputrc xprofile xinitrc xsessionrc pam_environment tmux.conf screenrc psqlrc irbrc emacs emacs.d vim netrc pypirc".split(
    " ",
  ),
].map((name) => `.${name}`);
const IN_HOME: readonly string[] =
  ".config/fish .config/git .config/systemd .config/autostart .config/nvim .config/environment.d .local/bin".split(" ");

/** Read by programs too, and written on purpose all the time: no command changes those that are there. */
const KEPT: readonly string[] = [".env", ".gitmodules", ".margay"];

/** Written on purpose, and started by name. */
const WHEN_CALLED = new Set(
  "package.json makefile gnumakefile justfile .justfile conftest.py .pre-commit-config.yaml .gitattributes .gitmodules .env".split(
    " ",
  ),
);
const FOLDERS_CALLED = [".github/workflows", "node_modules/.bin"];

/** All that is protected in any folder, for rules by name: with `/` below a folder, with `*` for any letters. */
export const NAME_PATTERNS: readonly string[] = [...KEPT, ...AT_HOME, ...BY_ITSELF];

const BY_NAME = new Set(BY_ITSELF.filter((entry) => !/[*/]/.test(entry)));
const ENDINGS = BY_ITSELF.filter((entry) => entry.startsWith("*")).map((entry) => entry.slice(1));
const NESTED = BY_ITSELF.filter((entry) => entry.includes("/")).map((entry) => ({
  folder: `/${entry.slice(0, entry.lastIndexOf("/"))}`,
  name: entry.slice(entry.lastIndexOf("/") + 1),
}));
const TOP = new Set(TOP_NAMES.map((name) => name.toLowerCase()));
const HOME = new Set(AT_HOME);

export interface Whereabouts {
  /** The folder's path below the workspace, with `/`; empty for the workspace. */
  readonly folder: string;
  /** The folder that is the home directory of the person, when it is one of the workspace's. */
  readonly home?: string | undefined;
}

/** Whether an entry of a folder runs, or is obeyed, by itself. Letters count as small ones: some file systems do not tell them apart. */
export function runsByItself(name: string, { folder, home }: Whereabouts): boolean {
  const small = name.toLowerCase();
  if ((folder === "" && TOP.has(small)) || (folder === home && HOME.has(small))) return true;
  if (BY_NAME.has(small) || ENDINGS.some((ending) => small.endsWith(ending))) return true;
  const below = `/${folder.toLowerCase()}`;
  if (home !== undefined && IN_HOME.some((one) => join(home, one) === `${below.slice(1)}/${small}`)) return true;
  return NESTED.some((entry) => below.endsWith(entry.folder) && fits(small, entry.name));
}

/** Whether the policy asks before a file tool writes there, and no command changes what is there. @param names Of a path below the workspace. */
export function isProtected(names: readonly string[]): boolean {
  return names.some((name, index) => {
    const small = name.toLowerCase();
    if (small === ".git" || KEPT.includes(small) || HOME.has(small)) return true;
    return runsByItself(name, { folder: names.slice(0, index).join("/") });
  });
}

/** Whether somebody starts it by its name, or by that of its folder. @param path Below the workspace, with `/`. */
export function runsWhenCalled(path: string): boolean {
  const small = path.toLowerCase();
  const slash = small.lastIndexOf("/");
  const folder = `/${small.slice(0, Math.max(slash, 0))}`;
  return WHEN_CALLED.has(small.slice(slash + 1)) || FOLDERS_CALLED.some((one) => folder.endsWith(`/${one}`));
}

function join(folder: string, path: string): string {
  return folder === "" ? path : `${folder.toLowerCase()}/${path}`;
}

function fits(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
