/** Adding or changing a server: the literal command is confirmed, then tested, then saved. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import McpName from "virtual:form/mcp/schema.ts#McpName";
import McpServerBody from "virtual:form/mcp/schema.ts#McpServerBody";
import type { McpServerDraft, McpServerView, McpTestResult } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { openPanel } from "../../../web/lib/route.ts";
import { Check, Select } from "../../../web/ui/field.tsx";
import { fieldsOf, nameField, type Field } from "../../../web/ui/form-shape.ts";
import type { OwnControls } from "../../../web/ui/schema-form.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, type Acting } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { ConfirmButton } from "../../../web/panel-kit/confirm.tsx";
import { withRemovals } from "../../../web/panel-kit/removals.ts";
import { ResourceForm, useForm } from "../../../web/panel-kit/resource-form.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { TestSteps } from "../../../web/panel-kit/test-steps.tsx";
import { ToolChoice, type ToolLine } from "./tool-choice.tsx";

type Draft = McpServerDraft & Pick<McpServerView, "name" | "transport">;

/** What is asked of a program on this machine, and of a server at an address. */
const FIELDS = {
  stdio: ["command", "args", "env", "sandbox", "network", "writable", "include", "for", "enabled"],
  http: ["url", "headers", "include", "for", "enabled"],
} as const;

interface Props {
  readonly server: McpServerView | undefined;
  /** Loads what is saved now. */
  readonly reload?: () => Promise<void>;
}

export function ServerForm({ server, reload }: Props) {
  const { form, result, tools, test, literal, needsConfirm, confirmed, setConfirmed } = useEditing(server, reload);
  const { value } = form;
  const isComplete = value.transport === "http" ? value.url !== undefined : value.command !== undefined;
  const ready = value.name !== "" && isComplete && (!needsConfirm || confirmed);
  // Chosen from the tools it lists; before it was asked, by their names.
  const own: OwnControls =
    tools.length === 0
      ? {}
      : {
          include: ({ onChange }) => (
            <ToolChoice server={value.name} tools={tools} include={value.include ?? []} onChange={onChange} />
          ),
        };
  return (
    <div class="stack p-narrow">
      {server === undefined && <h3>{t("add")}</h3>}
      <Select
        label={t("transport")}
        value={value.transport}
        onValue={(transport) => form.change({ ...value, transport: transport === "http" ? "http" : "stdio" })}
        options={[
          { value: "stdio", label: t("stdio") },
          { value: "http", label: t("http") },
        ]}
      />
      <ResourceForm
        form={form}
        own={own}
        ready={ready}
        actions={
          <>
            <Act acting={form.acting} work={test} icon="plug" disabled={!ready}>
              {t("test")}
            </Act>
            {server !== undefined && <Remove server={server} acting={form.acting} />}
          </>
        }
      >
        {needsConfirm && value.command !== undefined && (
          <div class="note-box warn">
            <div class="stack grow">
              <span>{t("literal")}</span>
              <pre class="p-code">{literal}</pre>
              <Check label={t("confirm")} checked={confirmed} onChecked={setConfirmed} />
            </div>
          </div>
        )}
        {result !== undefined && <TestSteps result={result} good={t("testOk")} bad={t("testBad")} />}
      </ResourceForm>
    </div>
  );
}

function Remove({ server, acting }: { readonly server: McpServerView; readonly acting: Acting }) {
  const { name, hash } = server;
  const go = (): void =>
    void acting.run(async () => {
      await api.delete(`/mcp/servers/${encodeURIComponent(name)}`, { ifMatch: `"${hash}"` });
      toast(t("removed", { name }));
      openPanel("mcp");
    });
  return <ConfirmButton kind="danger" verb={c("remove")} text={t("removeAsk", { name })} go={go} />;
}

/** The draft of a server: what is asked before it is saved, and its test. */
function useEditing(server: McpServerView | undefined, reload: Props["reload"]) {
  const saved = read(server);
  const [confirmed, setConfirmed] = useState(false);
  const [result, setResult] = useState<z.infer<typeof McpTestResult> | undefined>(undefined);
  const body = (value: Draft) => ({
    ...bodyOf(value, server),
    ...(needsConfirmOf(value, server) && { confirm: literalOf(value) }),
  });
  const form = useForm<Draft>({
    name: `mcp/${server?.name ?? "~new"}`,
    saved,
    hash: server?.hash,
    fields: fieldsFor(server),
    reload,
    changed: (next, before) => {
      if (next.include === before.include) setResult(undefined);
      if (sourceOf(next) === sourceOf(before)) return next;
      setConfirmed(false);
      return { ...next, sandbox: true }; // what was allowed to one is not to another
    },
    write: async (value, condition) =>
      void (await api.put(`/mcp/servers/${encodeURIComponent(value.name)}`, body(value), condition)),
    said: ({ name }) => t("saved", { name }),
    done: ({ name }) => openPanel(`mcp/${name}`),
  });
  const { value } = form;
  const listed = useResource<readonly ToolLine[]>(
    server !== undefined && sourceOf(value) === sourceOf(saved)
      ? `/mcp/servers/${encodeURIComponent(server.name)}/tools`
      : undefined,
    "mcp",
  );
  const test = async (): Promise<void> => {
    const asked = { name: value.name, ...body(value) };
    setResult((await api.post<z.infer<typeof McpTestResult>>("/mcp/test", asked)).body);
  };
  return {
    form: {
      ...form,
      fields: form.fields.filter(
        ({ name }) => isOf(value.transport, name) && (name !== "for" || value.for !== undefined),
      ),
    },
    result,
    tools: result?.tools ?? listed.data ?? [],
    test,
    literal: literalOf(value),
    needsConfirm: needsConfirmOf(value, server),
    confirmed,
    setConfirmed,
  };
}

function isOf(transport: Draft["transport"], name: string): boolean {
  return name === "name" || FIELDS[transport].some((one) => one === name);
}

function fieldsFor(server: McpServerView | undefined): readonly Field[] {
  const fields = fieldsOf(McpServerBody, ["url", "headers", ...FIELDS.stdio], t.find);
  return server === undefined ? [nameField("name", McpName, t.find), ...fields] : fields;
}

const argsOf = ({ args = [] }: Draft): readonly string[] => args.filter((line) => line.trim() !== "");
const literalOf = (value: Draft): string => [value.command ?? "", ...argsOf(value)].join(" ");

function needsConfirmOf(value: Draft, server: McpServerView | undefined): boolean {
  return value.transport === "stdio" && literalOf(value) !== [server?.command, ...(server?.args ?? [])].join(" ");
}

function bodyOf(value: Draft, server: McpServerView | undefined) {
  const { command, env, sandbox, network, writable, url, headers, include, enabled, for: readers } = value;
  const own =
    value.transport === "stdio"
      ? { command, args: argsOf(value), env: withRemovals(server?.env, env), sandbox, network, writable }
      : { url, headers: withRemovals(server?.headers, headers) };
  return { ...own, include, enabled, ...(readers !== undefined && { for: readers }) };
}

/** Which program or address its tools are of. */
function sourceOf(value: Draft): string {
  return value.transport === "http" ? (value.url ?? "") : JSON.stringify([value.command, value.args]);
}

function read(server: McpServerView | undefined): Draft {
  if (server === undefined)
    return { name: "", transport: "stdio", args: [], env: {}, include: ["*"], sandbox: true, enabled: true };
  const { name, transport, command, args, env, url, headers, include, sandbox = true, network, writable } = server;
  return {
    ...{ name, transport, include, sandbox, enabled: server.enabled, args: args ?? [], env: env ?? {} },
    ...(command !== undefined && { command }),
    ...(url !== undefined && { url }),
    ...(headers !== undefined && { headers }),
    ...(network !== undefined && { network }),
    ...(writable !== undefined && { writable }),
    ...(server.for !== undefined && { for: server.for }),
  };
}
