/** What one yes can be remembered for, and whether an earlier one covers a call. Exact: nothing is generalized by pattern. */
import type { JsonObject } from "../contract/base.ts";
import type { ToolCallPart } from "../contract/message.ts";
import type { Grant, SavedRule } from "../contract/grant.ts";
import type { JudgeContext, Verdict } from "../contract/policy.ts";
import { grantKey } from "../lib/grant-key.ts";
import { messageTo } from "../lib/session-key.ts";
import { visible } from "../lib/visible.ts";

/**
 * @param rule The built-in rule that asks. What the operator's own rules or a deny list ask about is asked each time.
 * @param pinOf What an MCP tool is, by its server and definition; undefined: it can't be told, so nothing is kept.
 */
export function grantOf(
  rule: string,
  call: ToolCallPart,
  { origin, callFiles }: Pick<JudgeContext, "origin" | "callFiles">,
  pinOf: ((tool: string) => string | undefined) | undefined,
): Grant | undefined {
  const input = call.input as JsonObject; // byClass() asks about objects
  const covers = (scope: JsonObject, shown: string): Grant => ({
    rule,
    tool: call.name,
    scope,
    shown: `${call.name}: ${visible(shown)}`,
  });
  switch (rule) {
    // The exact command, and no other: who gave the idea does not matter then. What covers more is not kept there.
    case "exec, untrusted context":
    case "exec without sandbox": {
      if (callFiles?.directory === undefined || callFiles.unknown === true) return undefined;
      const { directory, scripts = {} } = callFiles;
      const names = Object.keys(scripts);
      const files = names.length === 0 ? "" : `\n(with ${names.join(", ")} as now)`;
      const limit = input["timeout"] === undefined ? "" : `\n(timeout ${JSON.stringify(input["timeout"])} s)`;
      return covers(
        { ...input, working_dir: directory, scripts },
        `${String(input["command"] ?? "")}\n(in ${directory})${limit}${files}`,
      );
    }
    case "write outside": {
      const target = callFiles?.target;
      return target === undefined ? undefined : covers({ path: target }, `${target}\n(any content)`);
    }
    case "message elsewhere": {
      if (carriesFiles(input)) return undefined; // a yes to any text is none to any file
      const { channel, chat } = messageTo(input, origin);
      return covers({ channel, chat }, `${channel} ${chat}\n(any text)`);
    }
    case "mcp write": {
      const pin = pinOf?.(call.name);
      return pin === undefined ? undefined : covers({ pin }, "any arguments, as long as the tool stays as it is");
    }
    default:
      return undefined;
  }
}

function carriesFiles({ media }: JsonObject): boolean {
  return media !== undefined && !(Array.isArray(media) && media.length === 0);
}

/** The earlier yes that covers this question: of this chat, else a saved rule. */
export function remembered(
  grant: Grant,
  { state }: Pick<JudgeContext, "state">,
  saved: readonly SavedRule[],
): Extract<Verdict, { kind: "allow" }> | undefined {
  const key = grantKey(grant);
  const here = state.grants?.find((each) => grantKey(each) === key);
  if (here !== undefined) return { kind: "allow", rule: `chat ${here.call}`, by: here.by };
  const rule = saved.find((each) => grantKey(each) === key);
  return rule === undefined ? undefined : { kind: "allow", rule: `saved ${rule.id}`, by: rule.by };
}
