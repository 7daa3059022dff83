/** Checks of MCP servers: each is started and asked for its tools. */
import { messageOf } from "@margay/core/internal";
import type { Loaded } from "../../config/load.ts";
import type { ConfigCheck } from "../../host/finding.ts";
import type { Examined, Finding } from "../../host/finding.ts";

/** A doctor that hangs is no help. */
const PATIENCE_MS = 20_000;

export const checkServers: ConfigCheck = async (examined, loaded) => {
  const enabled = Object.entries(loaded.config.mcpServers).filter(([, { disabled }]) => !disabled);
  const found = await Promise.all(enabled.map(([name]) => answers(name, examined, loaded)));
  const unconfined = enabled.flatMap(([name, { command, sandbox }]): readonly Finding[] =>
    command === undefined || sandbox
      ? []
      : [
          {
            id: "mcp",
            level: "warning",
            text: examined.t("doctor.mcpUnconfined", { name }),
            repair: `margay config set mcpServers.${name}.sandbox true`,
          },
        ],
  );
  return [...found, ...unconfined];
};

async function answers(name: string, { t, environment, signal }: Examined, loaded: Loaded): Promise<Finding> {
  const { probeServer, serverAccount } = await import("./service.ts");
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const { tools, standing } = await probeServer(name, loaded, environment.env, patience);
    const count = tools.length;
    if (standing !== "approved")
      return {
        id: "mcp",
        level: "warning",
        text: t("doctor.mcpWaits", { name, count }),
        repair: `margay mcp approve ${name}`,
      };
    const account = await serverAccount(name, loaded, environment.env);
    const text =
      account === undefined ? t("doctor.mcp", { name, count }) : t("doctor.mcpAccount", { name, count, account });
    return { id: "mcp", level: "ok", text };
  } catch (error) {
    signal.throwIfAborted();
    return {
      id: "mcp",
      level: "problem",
      text: t("doctor.mcpFails", { name, reason: messageOf(error).replace(/\.$/, "") }),
      repair: `margay config set mcpServers.${name}.disabled true`,
    };
  }
}
