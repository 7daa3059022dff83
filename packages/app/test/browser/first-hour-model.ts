// The model of the first hour: understands the five things a newcomer asks for, a function of the request alone.
import { callsTool, says, startMockModel, type MockModel } from "@margay/core/testing";
import type { RecordedRequest, Reply } from "@margay/core/internal/testing";

/** Of the page that is summarized. */
export const PAGE = "/tea.html";

export async function newcomersModel(): Promise<MockModel> {
  const model = await startMockModel({ models: ["qwen3:8b"], rules: "off" });
  model.route(() => true, ...Array.from({ length: 500 }, () => answer));
  return model;
}

function answer({ messages }: RecordedRequest): Reply {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const asked = (messages[last]?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const results = messages
    .slice(last)
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "result" ? [part.text] : [])));
  const [act, told, needs = ""] = deedOf(asked);
  if (results.length === 0 && act !== undefined) return act;
  return says(results.length === 0 || results.join("\n").includes(needs) ? told : "That did not work.");
}

/** What is called for it, what is said then, and what the result has to say for that. */
function deedOf(asked: string): readonly [Reply | undefined, string, string?] {
  const address = /http:\S+/.exec(asked)?.[0];
  if (/folder named notes/.test(asked))
    return [
      callsTool("write_file", {
        path: "notes/about.md",
        content: "# What I can do\n\n- read and write files\n- remind you\n",
      }),
      "I made `notes/about.md`. It says what I can do: **files**, **reminders**, **web pages**.",
    ];
  if (/shopping list into/.test(asked))
    return [
      callsTool("write_file", { path: "shopping.md", content: "- tea\n- milk\n" }),
      "The list is in `shopping.md`.",
    ];
  if (/remind me/.test(asked))
    return [
      callsTool("cron", {
        action: "add",
        message: "The tea is ready.",
        mode: "deliver",
        at: new Date(Date.now() + 3_000).toISOString(),
      }),
      "I will.",
    ];
  if (address !== undefined && /Summarize/.test(asked))
    return [callsTool("web_fetch", { url: address }), "It says that tea comes from hills.", "Tea grows on hills"];
  if (/tea\.example say/.test(asked))
    return [callsTool("exec", { command: "curl -s https://tea.example" }), "It says nothing."];
  return [undefined, "Hello! What shall we do?"];
}
