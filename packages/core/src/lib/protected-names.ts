// Names in a workspace that steer the agent or run by themselves: one list for the policy and for the sandbox.

/** In the top directory of the workspace: what the agent is told to be, to know and to do. */
export const TOP_NAMES: readonly string[] =
  "AGENTS.md SOUL.md USER.md TOOLS.md HEARTBEAT.md IDENTITY.md memory skills personas".split(" ");

/** Read by programs wherever they are started: hooks, tool lists, keys, settings. */
const PROJECT_NAMES: readonly string[] =
  ".git .gitmodules .mcp.json .env .envrc .margay .husky .vscode .claude .cursor .npmrc .yarnrc.yml".split(" ");

/** Read by programs from a home directory, which a workspace can be. */
export const HOME_NAMES: readonly string[] =
  ".ssh .gnupg .bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .gitconfig".split(" ");

/** Anywhere in the workspace: files that programs run or obey when they start. */
export const ANYWHERE_NAMES: readonly string[] = [...PROJECT_NAMES, ...HOME_NAMES];
