/** A new webhook: name, signature, what the agent is asked, where the answer goes. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { HookSaved } from "../schema.ts";
import { t } from "./texts.ts";
import { PasswordField, Select, TextArea, TextField } from "../../../web/ui/field.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf } from "../../../web/panel-kit/api.ts";

interface Props {
  /** With the secret that was made, shown once. */
  readonly done: (generated: string | undefined) => Promise<void>;
}

const SCHEMES = ["standard", "github", "slack"] as const;

export function HookForm({ done }: Props) {
  const acting = useAct();
  const [name, setName] = useState("");
  const [scheme, setScheme] = useState<string>("standard");
  const [secret, setSecret] = useState("");
  const [prompt, setPrompt] = useState("{{body}}");
  const [session, setSession] = useState("own");
  const [deliver, setDeliver] = useState("");
  const faults = faultsOf(acting.problem);
  const create = async (): Promise<void> => {
    const body = {
      scheme,
      prompt,
      session,
      ...(secret !== "" && { secret: { $secret: secret } }),
      deliver: linesOf(deliver),
    };
    const path = `/hooks/${encodeURIComponent(name)}`;
    const answer = await api.put<z.infer<typeof HookSaved>>(path, body, { ifNoneMatch: "*" });
    await done(answer.body.generated);
  };
  return (
    <div class="p-card stack">
      <TextField
        label={t("name")}
        value={name}
        onValue={setName}
        fault={faults.get("/name")}
        spellcheck={false}
        maxLength={64}
      />
      <Select
        label={t("scheme")}
        value={scheme}
        onValue={setScheme}
        options={SCHEMES.map((value) => ({ value, label: t(`scheme_${value}`) }))}
      />
      <PasswordField
        label={t("secret")}
        hint={t("secretWhy")}
        value={secret}
        onValue={setSecret}
        fault={faults.get("/secret")}
        autocomplete="off"
      />
      <TextArea
        label={t("prompt")}
        hint={t("promptWhy")}
        value={prompt}
        onValue={setPrompt}
        fault={faults.get("/prompt")}
      />
      <Select
        label={t("session")}
        value={session}
        onValue={setSession}
        options={[
          { value: "own", label: t("sessionOwn") },
          { value: "fresh", label: t("sessionFresh") },
        ]}
      />
      <TextArea
        label={t("deliver")}
        hint={t("deliverWhy")}
        value={deliver}
        onValue={setDeliver}
        fault={faults.get("/deliver")}
        rows={2}
        spellcheck={false}
      />
      <Outcome of={acting} />
      <div>
        <Act acting={acting} work={create} kind="primary" disabled={name === "" || prompt.trim() === ""}>
          {t("create")}
        </Act>
      </div>
    </div>
  );
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
