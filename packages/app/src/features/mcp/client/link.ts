/** An open client of the protocol library as the rest of this folder sees it. */
import {
  SdkError,
  SdkErrorCode,
  type Client,
  type StandardSchemaV1,
  type Tool as RawTool,
  type Transport,
} from "@modelcontextprotocol/client";
import { type JsonObject, type Logger } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import { contentOf, textOfList } from "./result.ts";
import type { CallOptions, CallResult, Definition, Link } from "./types.ts";

/** The library's own deadline never fires: the caller's signal carries ours. */
export const NO_TIMEOUT_MS: number = 2 ** 31 - 1;
/** Pages of one list that are read. */
const MAX_PAGES = 50;

/** Runs a request again after a sign-in it asked for. */
export type SigningIn = <T>(work: () => Promise<T>) => Promise<T>;

export interface LinkOptions {
  readonly client: Client;
  readonly transport: Transport;
  readonly log: Logger;
  readonly signingIn: SigningIn;
  /** Called once when the connection ends without `close()`. */
  readonly onLost?: (() => void) | undefined;
}

export function createLink({ client, transport, log, signingIn, onLost }: LinkOptions): Link {
  let closing = false;
  client.onclose = () => {
    if (!closing) onLost?.();
  };
  const offered = client.getServerCapabilities() ?? {};
  const request = ({ signal, onProgress }: CallOptions): object => ({
    signal,
    timeout: NO_TIMEOUT_MS,
    ...(onProgress !== undefined && {
      onprogress: (progress: { readonly progress: number; readonly total?: number; readonly message?: string }) =>
        onProgress(progressText(progress)),
    }),
  });
  return {
    offers: {
      tools: offered.tools !== undefined,
      resources: offered.resources !== undefined,
      prompts: offered.prompts !== undefined,
    },
    instructions: client.getInstructions() ?? "",
    tools: (signal) => signingIn(() => allTools(client, signal)),
    call: (tool, args, given) =>
      signingIn(async (): Promise<CallResult> => {
        const result = await client.callTool(
          { name: tool.name, arguments: { ...args } },
          { ...request(given), toolDefinition: tool.raw as unknown as RawTool }, // as it was listed
        );
        return { content: contentOf(result), isError: result.isError === true };
      }),
    listResources: async (given) => {
      const { resources } = await client.listResources(undefined, request(given));
      const templates = await client
        .listResourceTemplates(undefined, request(given))
        .then((result) => result.resourceTemplates)
        .catch(() => []); // many servers have none and say so with an error
      return textOfList([
        ...resources.map(({ uri, name, description }) => ({ name: uri, about: [name, description] })),
        ...templates.map(({ uriTemplate, name, description }) => ({ name: uriTemplate, about: [name, description] })),
      ]);
    },
    readResource: async (uri, given) => {
      const { contents } = await client.readResource({ uri }, { ...request(given), cacheMode: "bypass" });
      return {
        content: contentOf({ content: contents.map((resource) => ({ type: "resource", resource })) }),
        isError: false,
      };
    },
    listPrompts: async (given) => {
      const { prompts } = await client.listPrompts(undefined, request(given));
      return textOfList(
        prompts.map(({ name, description, arguments: args = [] }) => ({
          name: `${name}(${args.map((arg) => `${arg.name}${arg.required === true ? "" : "?"}`).join(", ")})`,
          about: [description],
        })),
      );
    },
    getPrompt: async (name, args, given) => {
      const { messages } = await client.getPrompt({ name, arguments: { ...args } }, request(given));
      return {
        content: messages.flatMap(({ role, content }) => [
          { type: "text" as const, text: `${role}:` },
          ...contentOf({ content: [content] }),
        ]),
        isError: false,
      };
    },
    close: async () => {
      closing = true;
      await client.close().catch((error: unknown) => log.debug("mcp.close", { message: messageOf(error) }));
      await transport.close();
    },
  };
}

async function allTools(client: Client, signal: AbortSignal): Promise<readonly Definition[]> {
  try {
    const { tools } = await client.listTools(undefined, { signal, timeout: NO_TIMEOUT_MS, cacheMode: "refresh" });
    return tools.flatMap(definitionOf);
  } catch (error) {
    if (!SdkError.isInstance(error) || error.code !== SdkErrorCode.InvalidResult) throw error;
    return rawTools(client, signal);
  }
}

/** Without the library's schema of a tool: one that it cannot read must not take the whole server with it. */
async function rawTools(client: Client, signal: AbortSignal): Promise<readonly Definition[]> {
  const found: Definition[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: "tools/list", params }, ANY_OBJECT, {
      signal,
      timeout: NO_TIMEOUT_MS,
    });
    if (Array.isArray(result.tools)) found.push(...result.tools.flatMap(definitionOf));
    if (typeof result.nextCursor !== "string" || result.nextCursor === "" || result.nextCursor === cursor) break;
    cursor = result.nextCursor;
  }
  return found;
}

interface ListPage {
  readonly tools?: unknown;
  readonly nextCursor?: unknown;
}

const ANY_OBJECT: StandardSchemaV1<unknown, ListPage> = {
  "~standard": {
    version: 1,
    vendor: "margay",
    validate: (value) =>
      typeof value === "object" && value !== null ? { value } : { issues: [{ message: "not an object" }] },
  },
};

function definitionOf(raw: unknown): readonly Definition[] {
  if (typeof raw !== "object" || raw === null || !("name" in raw) || typeof raw.name !== "string" || raw.name === "")
    return [];
  const hints =
    "annotations" in raw && typeof raw.annotations === "object" && raw.annotations !== null ? raw.annotations : {};
  return [
    {
      name: raw.name,
      description: "description" in raw && typeof raw.description === "string" ? raw.description : "",
      inputSchema: "inputSchema" in raw ? raw.inputSchema : undefined,
      annotations: {
        readOnly: "readOnlyHint" in hints && hints.readOnlyHint === true,
        idempotent: "idempotentHint" in hints && hints.idempotentHint === true,
      },
      raw: raw as JsonObject, // it came as JSON
    },
  ];
}

function progressText({
  progress,
  total,
  message,
}: {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}): string {
  const count = total === undefined ? `${progress}` : `${progress}/${total}`;
  return message === undefined ? count : `${message} (${count})`;
}
