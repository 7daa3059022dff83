// `extract`: typed facts out of a text that was kept aside, in runs that nobody attends (`policy.strictUnattended`).
import type { CallId, Json, JsonObject } from "../contract/base.ts";
import type { ExtractRequest } from "../contract/agent.ts";
import type { Tool } from "../contract/tool.ts";
import { defineTool, toolError } from "../tools/define.ts";
import { asUntrusted } from "../tools/untrusted.ts";

const MAX_FIELDS = 20;
/** Too short to say much; the design's bound. */
const MAX_TEXT_CHARS = 64;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)?$/;

interface Field {
  readonly name: string;
  readonly kind: "choice" | "number" | "date" | "text";
  readonly of?: readonly string[];
}
interface ExtractInput {
  readonly from: string;
  readonly fields: readonly Field[];
}

/** @param ask the request without tools: its answer as text; undefined: nothing is kept there; null: no budget. */
export function extractTool(ask: (request: ExtractRequest) => Promise<string | null | undefined>): Tool {
  return defineTool<ExtractInput>({
    name: "extract",
    description: "Answers questions about a result that was kept aside: choices, numbers, dates, short texts.",
    input: {
      properties: {
        from: { type: "string", description: "The name it is kept under." },
        fields: {
          type: "array",
          minItems: 1,
          maxItems: MAX_FIELDS,
          items: {
            type: "object",
            properties: {
              name: { type: "string", minLength: 1, maxLength: 40, description: "What is asked." },
              kind: { enum: ["choice", "number", "date", "text"] },
              of: { type: "array", items: { type: "string", maxLength: 64 }, description: "For choice." },
            },
            required: ["name", "kind"],
            additionalProperties: false,
          },
        },
      },
      required: ["from", "fields"],
    },
    effect: "read",
    timeoutMs: 0,
    execute: async ({ from, fields }, { sessionId, signal }) => {
      const request = { session: sessionId, from: from as CallId, question: questionOf(fields), signal };
      const answer = await ask(request); // looked up by equality: a name that is none finds nothing
      if (answer === undefined) return toolError(`nothing is kept as ${from}`, "use the name from the result");
      if (answer === null) return toolError("the budget has no room for it", "go on without");
      const found = parse(answer);
      if (found === undefined) return toolError("the text gave no usable answer", "ask for other fields");
      const values = Object.fromEntries(fields.map((field) => [field.name, valueOf(field, found[field.name])]));
      const text = JSON.stringify(values);
      // A choice, a number and a date say nothing but themselves.
      return fields.some(({ kind }) => kind === "text") ? asUntrusted(text) : text;
    },
  });
}

function questionOf(fields: readonly Field[]): string {
  const lines = fields.map(({ name, kind, of }) => {
    const form = {
      choice: `one of ${JSON.stringify(of ?? [])}`,
      number: "a number",
      date: "a date, YYYY-MM-DD",
      text: `at most ${MAX_TEXT_CHARS} characters`,
    };
    return `- ${JSON.stringify(name)}: ${form[kind]}`;
  });
  return `The keys and what each holds:\n${lines.join("\n")}`;
}

function parse(answer: string): JsonObject | undefined {
  const start = answer.indexOf("{");
  const end = answer.lastIndexOf("}");
  if (start < 0 || end < start) return undefined;
  try {
    return JSON.parse(answer.slice(start, end + 1)) as JsonObject; // braces around it: an object
  } catch {
    return undefined; // prose with braces
  }
}

/** What does not fit its kind is nothing. */
function valueOf({ kind, of = [] }: Field, value: Json | undefined): Json {
  switch (kind) {
    case "choice":
      return typeof value === "string" && of.includes(value) ? value : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "date":
      return typeof value === "string" && DATE.test(value) && !Number.isNaN(Date.parse(value)) ? value : null;
    case "text":
      return typeof value === "string" ? [...value.replaceAll(/\s+/g, " ")].slice(0, MAX_TEXT_CHARS).join("") : null;
  }
}
