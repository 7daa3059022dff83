/** What lies in the git directory of an own repository: labels there would make every `git status` a stranger's. */

/** Where git keeps contents, and where it keeps its own facts about them. */
export interface GitPlace {
  /** The git directory, relative to the workspace. */
  readonly repository: string;
  /** A loose object's name; undefined: a pack, index, reference, log or message. */
  readonly object?: string;
}

const OBJECT = /^objects\/([0-9a-f]{2})\/([0-9a-f]{38}|[0-9a-f]{62})$/;
/** As git itself names them; whatever else lies there is a file as any other. @see git, "gitrepository-layout" */
const FACTS =
  /^(?:HEAD|index|packed-refs|shallow|description|config(?:\.worktree)?|commondir|gitdir|[A-Z]+_(?:HEAD|MSG|EDITMSG|MODE)|COMMIT_EDITMSG|objects\/(?:info|pack)\/[^/]+|(?:refs|logs|info|hooks|rr-cache|rebase-merge|rebase-apply|sequencer)(?:\/.+)?)(?:\.lock)?$/;
const IN_GIT = /^((?:.*\/)?\.git(?:\/(?:modules|worktrees)\/[^/]+)*)\/(.+)$/;

/** @param path relative to the workspace. @returns undefined for what git does not keep. */
export function gitPlace(path: string): GitPlace | undefined {
  const [, repository, inside] = IN_GIT.exec(path) ?? [];
  if (repository === undefined || inside === undefined) return undefined;
  const [, folder, rest] = OBJECT.exec(inside) ?? [];
  if (folder !== undefined && rest !== undefined) return { repository, object: folder + rest };
  return FACTS.test(inside) ? { repository } : undefined;
}
