// Names of repositories, as rules and questions say them: `github.com/me/proj`.

/** What git and its servers put into a path; nothing that is decoded or walked. */
const SEGMENT = /^(?!\.{1,2}$)[\w.~+@-]{1,100}$/;
const HOST = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*(?::\d{1,5})?$/;
/** `gitlab.com` nests groups. */
const MAX_SEGMENTS = 10;

/** @param host with its port where it is not the usual one. @returns undefined when it is no name of a repository. */
export function repositoryName(host: string, path: string): string | undefined {
  const segments = path.split("/");
  const name = host.toLowerCase();
  if (!HOST.test(name) || segments.length > MAX_SEGMENTS || !segments.every((one) => SEGMENT.test(one)))
    return undefined;
  return `${name}/${path.replace(/\.git$/, "")}`;
}

/**
 * Of an address as people and git write it: `https://host/me/proj.git`, `ssh://git@host/me/proj`, `git@host:me/proj`.
 * @returns undefined for a path of this machine, and for what is no address.
 */
export function repositoryOf(address: string): string | undefined {
  const url = /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([^/@]+)\/(.+)$/.exec(address);
  const scp = /^(?:[\w.-]+@)?([\w.-]{2,}):(?!\/\/)\/?(.+)$/.exec(address);
  const [, host = "", path = ""] = url ?? scp ?? [];
  // The port of ssh says nothing about where the repository is.
  const place = address.startsWith("ssh:") ? host.replace(/:\d+$/, "") : host.replace(/:443$/, "");
  return repositoryName(place, path.replace(/\/+$/, ""));
}

/** Whether `text` may stand in a list of repositories: `github.com/me/proj`, or `github.com/me/*` for all below. */
export function isRepositoryEntry(text: string): boolean {
  const path = text.slice(text.indexOf("/") + 1).replace(/\/\*$/, "/all");
  const name = repositoryName(text.slice(0, Math.max(0, text.indexOf("/"))), path);
  // What stands for a whole host would be as good as everybody who has an account there.
  return name !== undefined && !path.endsWith(".git");
}

/** @param name of {@link repositoryName}. The path is compared exactly: of some hosts `Me` is somebody else. */
export function isListedRepository(name: string, entries: readonly string[]): boolean {
  return entries.filter(isRepositoryEntry).some((entry) => {
    const slash = entry.indexOf("/");
    const wanted = `${entry.slice(0, slash).toLowerCase()}${entry.slice(slash)}`;
    return wanted.endsWith("/*") ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
  });
}
