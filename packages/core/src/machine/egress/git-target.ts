/** What a confined git asks the door for: only the three requests of git's smart protocol are anything (gitprotocol-http). */
import type { IncomingMessage } from "node:http";
import { egressName } from "./hosts.ts";
import { repositoryName } from "../../lib/paths/git-repository.ts";

/** A name that exists for git in the sandbox alone. `scp:` and `ssh:` before the host: how it was written there. */
export const GIT_DOOR = "git.margay";

export type GitVerb = "fetch" | "push";

/** Where a password is looked for. */
export interface GitPlace {
  readonly host: string;
  readonly port: number;
  /** Without its leading slash, as it was asked for. */
  readonly path: string;
  /** As the address named one. */
  readonly username?: string;
}

export interface GitTarget extends GitPlace {
  readonly repository: string;
  readonly verb: GitVerb;
  /** `/me/proj.git/info/refs?service=git-upload-pack`. */
  readonly pathAndQuery: string;
  readonly method: "GET" | "POST";
}

const PATH = /^\/(scp:|ssh:)?(?:([^/:@]{1,100})(?::[^/@]*)?@)?([^/:@]+)(?::(\d{1,5})(?=\/))?[:/]\/?([^?]+)$/;

/** @returns undefined for everything else. */
export function targetOf({ method, url = "" }: IncomingMessage): GitTarget | undefined {
  const [, at = ""] = /^http:\/\/[^/]+(\/.*)$/i.exec(url) ?? [];
  return method === "GET" || method === "POST" ? targetAt(method, at) : undefined;
}

function targetAt(method: "GET" | "POST", pathAndQuery: string): GitTarget | undefined {
  const asked =
    method === "GET"
      ? /^(.+)(\/info\/refs\?service=git-(upload|receive)-pack)$/.exec(pathAndQuery)
      : /^(.+)(\/git-(upload|receive)-pack)$/.exec(pathAndQuery);
  const [, place = "", service = "", which] = asked ?? [];
  // A path that scp names may begin with digits; the port of ssh is not that of https.
  const [, form, username, name = "", port, path = ""] =
    PATH.exec(place.startsWith("/scp:") ? place.replace(/^(\/scp:[^:]*):/, "$1/") : place) ?? [];
  const host = egressName(name);
  const wanted = form === undefined && port !== undefined ? Number(port) : 443;
  const repository = host && repositoryName(wanted === 443 ? host : `${host}:${wanted}`, path.replace(/\/+$/, ""));
  if (asked === null || host === undefined || repository === undefined || wanted < 1 || wanted > 65_535)
    return undefined;
  return {
    host,
    port: wanted,
    path,
    repository,
    verb: which === "upload" ? "fetch" : "push",
    pathAndQuery: `/${path}${service}`,
    method,
    ...(username !== undefined && /^[\w.+-]+$/.test(username) && { username }),
  };
}

/** A repository that was moved is asked for at the door again, and judged by its new name. */
export function elsewhere({ host, port, pathAndQuery }: GitTarget, location: string | undefined): string | undefined {
  const url = URL.parse(location ?? "", `https://${host}:${port}${pathAndQuery}`);
  if (location === undefined || url?.protocol !== "https:") return undefined;
  const there = `/${url.host}${url.pathname}${url.search}`;
  return targetAt("GET", there) === undefined ? undefined : `http://${GIT_DOOR}${there}`;
}
