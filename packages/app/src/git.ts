/** Git in the sandbox: whose commits it makes, which repositories it reaches, and whose password it uses outside. */
import { isListed, isListedRepository } from "@margay/core";
import {
  findProgram,
  type GitAnswer,
  type GitDoorOptions,
  type GitIdentity,
  gitOutside,
  type GitWish,
} from "@margay/core/builtin";
import type { Config } from "./config/config.ts";
import type { Loaded } from "./config/load.ts";

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

/** @returns undefined where nothing is listed that git could reach. */
export function gitDoorOf(
  loaded: Loaded,
  env: Environment,
  secret: (text: string) => void,
): GitDoorOptions | undefined {
  const { tools, policy } = loaded.config;
  if (tools.exec.network.length === 0 && policy.ownRepositories.length === 0) return undefined;
  const outside = gitOutside({ program: () => gitProgram(loaded, env), environment: env, secret });
  return { decide: async (wish) => judgeGit(wish, loaded.config), credential: outside.credential };
}

/** By the lists alone: nobody is asked. */
function judgeGit({ host, port, repository, verb }: GitWish, { tools, policy }: Config): GitAnswer {
  if (isListedRepository(repository, policy.ownRepositories)) return { ok: true, trusted: true };
  if (verb === "push")
    return {
      ok: false,
      reason: `nobody allowed a push to ${repository}. Next: the operator lists it in policy.ownRepositories`,
    };
  if (isListed(host, port, tools.exec.network)) return { ok: true };
  return {
    ok: false,
    reason: `${host} is not on the operator's list. Next: the operator lists it in tools.exec.network`,
  };
}

/** Never one that a command could have put there. */
function gitProgram({ workspace }: Loaded, env: Environment): string | undefined {
  const found = findProgram("git", env["PATH"] ?? "", [workspace]);
  return found.status === "found" ? found.path : undefined;
}
