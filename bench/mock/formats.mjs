/** The answers as bytes, for each API. */

const sse = (data, event) =>
  `${event ? `event: ${event}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/**
 * Each format gives: head(text), one text delta, tail(), and a JSON body for the
 * non-streaming case. Deltas of one answer are all equal, so a stream of 20,000
 * costs the server one string and a few hundred writes.
 */
export const FORMATS = {
  chat(plan, model, usage, body) {
    const base = { id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1700000000, model };
    const delta = (d, finish = null) => sse({ ...base, choices: [{ index: 0, delta: d, finish_reason: finish }] });
    const u = { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output };
    const tail = (finish) =>
      delta({}, finish) +
      (body.stream_options?.include_usage ? sse({ ...base, choices: [], usage: u }) : "") +
      sse("[DONE]");
    const toolCalls = plan.calls?.map((c) => ({
      id: c.id,
      type: "function",
      function: { name: c.name, arguments: c.args },
    }));
    return {
      head: delta({ role: "assistant", content: "" }),
      delta: (text) => delta({ content: text }),
      calls: () => toolCalls.map((c, index) => delta({ tool_calls: [{ index, ...c }] })).join(""),
      tail: () => tail(plan.calls ? "tool_calls" : "stop"),
      json: (text) => ({
        ...base,
        object: "chat.completion",
        choices: [
          {
            index: 0,
            message: plan.calls
              ? { role: "assistant", content: null, tool_calls: toolCalls }
              : { role: "assistant", content: text },
            finish_reason: plan.calls ? "tool_calls" : "stop",
          },
        ],
        usage: u,
      }),
    };
  },

  responses(plan, model, usage) {
    const fullText = plan.kind === "text" ? plan.script.text.repeat(plan.script.chunks) : "";
    const items = plan.calls
      ? plan.calls.map((c, i) => ({
          id: `fc_${i}`,
          type: "function_call",
          status: "completed",
          call_id: c.id,
          name: c.name,
          arguments: c.args,
        }))
      : [
          {
            id: "msg_0",
            type: "message",
            status: "completed",
            role: "assistant",
            content: [{ type: "output_text", text: fullText, annotations: [] }],
          },
        ];
    const response = (status, output) => ({
      id: "resp_bench",
      object: "response",
      created_at: 1700000000,
      status,
      model,
      output,
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      parallel_tool_calls: true,
      temperature: 1,
      tool_choice: "auto",
      tools: [],
      top_p: 1,
      usage:
        status === "completed"
          ? {
              input_tokens: usage.input,
              input_tokens_details: { cached_tokens: 0 },
              output_tokens: usage.output,
              output_tokens_details: { reasoning_tokens: 0 },
              total_tokens: usage.input + usage.output,
            }
          : null,
    });
    const ev = (type, rest) => sse({ type, sequence_number: 0, ...rest }, type);
    const open = ev("response.created", { response: response("in_progress", []) });
    return {
      head: plan.calls
        ? open
        : open +
          ev("response.output_item.added", {
            output_index: 0,
            item: { ...items[0], status: "in_progress", content: [] },
          }) +
          ev("response.content_part.added", {
            item_id: "msg_0",
            output_index: 0,
            content_index: 0,
            part: { type: "output_text", text: "", annotations: [] },
          }),
      delta: (text) =>
        ev("response.output_text.delta", { item_id: "msg_0", output_index: 0, content_index: 0, delta: text }),
      calls: () =>
        items
          .map(
            (item, output_index) =>
              ev("response.output_item.added", {
                output_index,
                item: { ...item, status: "in_progress", arguments: "" },
              }) +
              ev("response.function_call_arguments.delta", { item_id: item.id, output_index, delta: item.arguments }) +
              ev("response.function_call_arguments.done", {
                item_id: item.id,
                output_index,
                arguments: item.arguments,
              }) +
              ev("response.output_item.done", { output_index, item }),
          )
          .join(""),
      tail: () =>
        (plan.calls
          ? ""
          : ev("response.output_text.done", { item_id: "msg_0", output_index: 0, content_index: 0, text: fullText }) +
            ev("response.content_part.done", {
              item_id: "msg_0",
              output_index: 0,
              content_index: 0,
              part: items[0].content[0],
            }) +
            ev("response.output_item.done", { output_index: 0, item: items[0] })) +
        ev("response.completed", { response: response("completed", items) }),
      json: () => response("completed", items),
    };
  },

  anthropic(plan, model, usage) {
    const ev = (type, rest) => sse({ type, ...rest }, type);
    const stop = plan.calls ? "tool_use" : "end_turn";
    const message = (content, stop_reason, output) => ({
      id: "msg_bench",
      type: "message",
      role: "assistant",
      model,
      content,
      stop_reason,
      stop_sequence: null,
      usage: {
        input_tokens: usage.input,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: output,
      },
    });
    const start = ev("message_start", { message: message([], null, 1) });
    return {
      head: plan.calls
        ? start
        : start + ev("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      delta: (text) => ev("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
      calls: () =>
        plan.calls
          .map(
            (c, index) =>
              ev("content_block_start", {
                index,
                content_block: { type: "tool_use", id: c.id, name: c.name, input: {} },
              }) +
              ev("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: c.args } }) +
              ev("content_block_stop", { index }),
          )
          .join(""),
      tail: () =>
        (plan.calls ? "" : ev("content_block_stop", { index: 0 })) +
        ev("message_delta", {
          delta: { stop_reason: stop, stop_sequence: null },
          usage: { output_tokens: usage.output },
        }) +
        ev("message_stop", {}),
      json: (text) =>
        message(
          plan.calls
            ? plan.calls.map((c) => ({ type: "tool_use", id: c.id, name: c.name, input: JSON.parse(c.args) }))
            : [{ type: "text", text }],
          stop,
          usage.output,
        ),
    };
  },
};
