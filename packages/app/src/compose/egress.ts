/** Ways out of the sandbox: one for each command that gets one, every connection a line of the audit log. */
import { join } from "node:path";
import type { Clock } from "@margay/core";
import { openEgressDoor, removeDeadDoors, type ExecEgress } from "@margay/core/internal";
import type { AppAudit } from "../host/audit-events.ts";
import type { Loaded } from "../config/load.ts";
import { gitCredentials, judgeGit } from "../host/git.ts";

export interface EgressServices {
  readonly clock: Clock;
  readonly audit: Pick<AppAudit, "record">;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told of the operator's passwords for git. */
  readonly secret: (text: string) => void;
}

/** A command line in the log: long ones say enough by their beginning. */
const MAX_COMMAND_CHARS = 500;

/**
 * For `exec`: the hosts of `tools.exec.network`, and a question for all others.
 * @param of whose commands: nobody but the owner has the operator's passwords, nor repositories that count as the operator's own.
 */
export function execEgress(
  loaded: Loaded,
  { clock, audit, env, secret }: EgressServices,
  of: "owner" | "others" = "owner",
): ExecEgress {
  const { places } = loaded;
  const config = of === "owner" ? loaded.config : withoutOwn(loaded.config);
  const credential = of === "owner" ? gitCredentials(loaded, env, secret) : () => Promise.resolve(undefined);
  const directory = join(places.home, "egress");
  let swept: Promise<void> | undefined;
  return {
    open: async ({ context: { sessionId, callId }, command, ask, askPush }) => {
      await (swept ??= removeDeadDoors(directory)); // of a process that died in the middle of a command
      const call = {
        by: "exec",
        session: sessionId,
        call: callId,
        command: command.slice(0, MAX_COMMAND_CHARS),
      };
      return openEgressDoor({
        directory,
        clock,
        hosts: () => config.tools.exec.network,
        // The operator's exceptions to the check of addresses hold for every way out.
        allowHosts: config.tools.webFetch.allowHosts,
        ask,
        git: { decide: (wish) => judgeGit(wish, config, { ask, askPush }), credential },
        record: (attempt) => audit.record("egress", { ...call, ...attempt }),
        closed: (traffic) => audit.record("egress", { ...call, ...traffic, closed: true }),
      });
    },
  };
}

function withoutOwn(config: Loaded["config"]): Loaded["config"] {
  return { ...config, policy: { ...config.policy, ownRepositories: [] } };
}
