/**
 * Bodies of `/v1`. Unlike elsewhere unknown fields are accepted: clients send what their version knows, and the header
 * `Margay-Ignored` names what had no effect.
 */
import { z } from "zod";

const nullish = <T extends z.ZodType>(type: T) => type.nullish();

const TextPart = z.looseObject({ type: z.enum(["text", "input_text", "output_text"]), text: z.string() });
const ChatImage = z.looseObject({ type: z.literal("image_url"), image_url: z.looseObject({ url: z.string() }) });
const ChatFile = z.looseObject({
  type: z.literal("file"),
  file: z.looseObject({ file_data: nullish(z.string()), filename: nullish(z.string()), file_id: nullish(z.string()) }),
});
const ChatAudio = z.looseObject({
  type: z.literal("input_audio"),
  input_audio: z.looseObject({ data: z.string(), format: nullish(z.string()) }),
});
const InputImage = z.looseObject({ type: z.literal("input_image"), image_url: nullish(z.string()) });
const InputFile = z.looseObject({
  type: z.literal("input_file"),
  file_data: nullish(z.string()),
  filename: nullish(z.string()),
});
const Refusal = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });
/** Refused by name, not as a misshapen body. */
const OtherPart = z.looseObject({ type: z.string() });
const ContentPart = z.union([TextPart, ChatImage, ChatFile, ChatAudio, InputImage, InputFile, Refusal, OtherPart]);
export type WirePart = z.output<typeof ContentPart>;

const Content = z.union([z.string(), z.array(ContentPart)]);
export type WireContent = z.output<typeof Content>;

const ToolCall = z.looseObject({
  id: z.string(),
  type: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
});

const ChatMessage = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: nullish(Content),
  tool_calls: nullish(z.array(ToolCall)),
  tool_call_id: nullish(z.string()),
});
export type WireMessage = z.output<typeof ChatMessage>;

const Sampling = {
  model: z.string(),
  stream: nullish(z.boolean()),
  temperature: nullish(z.number().min(0).max(2)),
  parallel_tool_calls: nullish(z.boolean()),
  tools: nullish(z.array(z.looseObject({ type: z.string() }))),
  tool_choice: z.unknown().optional(),
  metadata: nullish(z.record(z.string(), z.string())),
  store: nullish(z.boolean()),
  user: nullish(z.string()),
  session_id: nullish(z.string()),
};

const Limit = nullish(z.number().int().min(1));
const Effort = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

export const ChatBody = z.looseObject({
  ...Sampling,
  messages: z.array(ChatMessage).min(1),
  stream_options: nullish(z.looseObject({ include_usage: nullish(z.boolean()) })),
  max_tokens: Limit,
  max_completion_tokens: Limit,
  reasoning_effort: nullish(Effort),
  stop: nullish(z.union([z.string(), z.array(z.string()).max(4)])),
});
export type ChatBody = z.output<typeof ChatBody>;

const Usage = z.looseObject({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
});

/** Of a request without `stream`; a stream is `text/event-stream`. */
export const ChatCompletion = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.number(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.number(),
      message: z.looseObject({ role: z.literal("assistant"), content: z.string().nullable() }),
      finish_reason: z.enum(["stop", "length", "tool_calls", "content_filter"]),
    }),
  ),
  usage: Usage,
});

export const ModelObject = z.strictObject({
  id: z.string(),
  object: z.literal("model"),
  created: z.number(),
  owned_by: z.string(),
});
export const ModelList = z.strictObject({ object: z.literal("list"), data: z.array(ModelObject) });

const InputItem = z.looseObject({
  type: nullish(z.string()),
  role: nullish(z.enum(["system", "developer", "user", "assistant"])),
  content: nullish(Content),
  call_id: nullish(z.string()),
  name: nullish(z.string()),
  arguments: nullish(z.string()),
  output: nullish(Content),
});
export type WireItem = z.output<typeof InputItem>;

export const ResponseBody = z.looseObject({
  ...Sampling,
  model: nullish(z.string()),
  input: nullish(z.union([z.string(), z.array(InputItem)])),
  instructions: nullish(z.string()),
  previous_response_id: nullish(z.string()),
  conversation: nullish(z.union([z.string(), z.looseObject({ id: z.string() })])),
  max_output_tokens: Limit,
  reasoning: nullish(z.looseObject({ effort: nullish(Effort) })),
  background: nullish(z.boolean()),
});
export type ResponseBody = z.output<typeof ResponseBody>;

/** Of a request without `stream`, and of one that is looked up. */
export const ResponseObject = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.number(),
  status: z.enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]),
  model: z.string(),
  output: z.array(z.looseObject({ type: z.string() })),
});
export const ResponseDeleted = z.strictObject({
  id: z.string(),
  object: z.literal("response"),
  deleted: z.literal(true),
});
/** Clients ask for more than there is; only a replayed stream is refused. */
export const ResponseQuery = z.looseObject({ stream: z.string().optional() });
