/** Git in the sandbox: whose commits it makes, which repositories it reaches, and whose password it uses outside. */
import {
  type CallDoor,
  entryFor,
  isListedRepository,
  isTrusted,
  notPublic,
  findProgram,
  type GitAnswer,
  type GitDoorOptions,
  type GitIdentity,
  gitOutside,
  type GitWish,
} from "@margay/core/internal";
import type { Config } from "../config/config.ts";
import type { Loaded } from "../config/load.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** `tools.exec.git`, else as git outside is configured; asked at the first command. */
export function gitIdentity(loaded: Loaded, env: Environment): () => Promise<GitIdentity> {
  const { name, email } = loaded.config.tools.exec.git ?? {};
  const outside = gitOutside({ program: () => gitProgram(loaded, env), environment: env });
  return async () => ({
    ...(await outside.identity()),
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
  });
}

/** The operator's passwords, asked of their own git outside. @param secret Told of each. */
export function gitCredentials(
  loaded: Loaded,
  env: Environment,
  secret: (text: string) => void,
): GitDoorOptions["credential"] {
  return gitOutside({ program: () => gitProgram(loaded, env), environment: env, secret }).credential;
}

/**
 * A fetch is as a connection to its host, with a password or without; a push is a question for its repository. What is fetched from
 * `policy.ownRepositories` is the operator's own.
 */
export async function judgeGit(
  { host, port, repository, verb }: GitWish,
  { tools, policy }: Config,
  { ask, askPush }: Pick<CallDoor, "ask" | "askPush">,
): Promise<GitAnswer> {
  const isOwn = isListedRepository(repository, policy.ownRepositories);
  const entry = entryFor(host, port, tools.exec.network);
  const isKnown = isOwn || entry !== undefined;
  const reason =
    (isKnown ? undefined : notPublic(host, port, tools.webFetch.allowHosts)) ??
    (verb === "push" ? await askPush(repository) : isKnown ? undefined : await ask(host, port));
  if (reason !== undefined) return { ok: false, reason };
  return { ok: true, ...((isOwn || isTrusted(entry)) && { trusted: true }) };
}

/** Never one that a command could have put there. */
/** Never one that lies in the workspace. */
export function gitProgram({ workspace }: Loaded, env: Environment): string | undefined {
  const found = findProgram("git", env["PATH"] ?? "", [workspace]);
  return found.status === "found" ? found.path : undefined;
}
