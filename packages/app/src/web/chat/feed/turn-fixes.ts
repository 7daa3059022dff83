/** What helps against the reason for which a turn ended: the place where it is set right. */
import type { ChatKey } from "../../texts/chat.ts";
import { openPanel } from "../../lib/route.ts";
import { tell } from "../../ui/tell.ts";
import { compact } from "../context-ring.tsx";

export interface Fix {
  readonly label: ChatKey;
  readonly needs: string;
  readonly run: () => void;
}

/** Of these codes the key, the account, the address or the name of the model is the cause. */
const MODELS: ReadonlySet<string> = new Set(
  ["auth", "no-key", "quota", "not-found", "unknown", "connection", "malformed", "bad-request", "media-rejected"].map(
    (name) => `provider.${name}`,
  ),
);

/** @param reason Why it ended. @param code Of the error, when there was one. */
export function fixOf(reason: string, code: string | undefined, session: string | undefined): Fix | undefined {
  if (reason === "budget" || code === "budget.exhausted")
    return { label: "turn.fix.budgets", needs: "getBudgets", run: () => openPanel("usage") };
  if (reason === "limit")
    return { label: "turn.fix.limits", needs: "getSettings", run: () => openPanel("settings/essentials") };
  if (reason !== "failed" || code === undefined) return undefined;
  if (code === "provider.context-length" && session !== undefined)
    return { label: "turn.fix.summarize", needs: "compactSession", run: () => void tell(compact(session)) };
  if (MODELS.has(code) || code === "model.empty")
    return { label: "turn.fix.models", needs: "listModels", run: () => openPanel("models") };
  if (code === "model.attempts" || code.startsWith("internal"))
    return { label: "turn.fix.log", needs: "getLogs", run: () => openPanel("system") };
  return undefined;
}
