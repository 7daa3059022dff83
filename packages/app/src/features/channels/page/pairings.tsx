/** Strangers who asked to write: code, sender, first words, and a decision. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Select } from "../../../web/ui/field.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { timeOfDay } from "../../../web/panel-kit/format.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import type { PairingRequest, Person } from "./types.ts";

export function Pairings() {
  const requests = useResource<readonly PairingRequest[]>("/pairings", "channels");
  const people = useResource<readonly Person[]>("/people", "channels");
  if (requests.data === undefined || requests.data.length === 0) return null;
  return (
    <section class="stack" aria-label={t("pairings")}>
      <h3>{t("pairings")}</h3>
      <ul class="p-cards">
        {requests.data.map((request) => (
          <Request key={request.code} request={request} people={people.data ?? []} reload={requests.reload} />
        ))}
      </ul>
    </section>
  );
}

interface RequestProps {
  readonly request: PairingRequest;
  readonly people: readonly Person[];
  readonly reload: () => Promise<void>;
}

function Request({ request, people, reload }: RequestProps) {
  const acting = useAct();
  const [person, setPerson] = useState("owner");
  const name = request.name ?? request.sender;
  const path = `/pairings/${encodeURIComponent(request.code)}`;
  const approve = (as: { readonly role: "operator" } | { readonly person?: string }) => async (): Promise<void> => {
    await api.post(`${path}/approve`, as);
    toast(t("approved", { name }));
    await reload();
  };
  const reject = async (): Promise<void> => {
    await api.delete(path);
    await reload();
  };
  return (
    <li class="p-card p-good" data-code={request.code}>
      <div class="p-row">
        <strong class="grow">{t("pairingFrom", { name, channel: request.channel })}</strong>
        <span class="p-faint">{t("until", { when: timeOfDay(request.expiresAt) })}</span>
      </div>
      <p class="p-facts-line">
        <span>
          {t("code")} <code>{request.code}</code>
        </span>
        <code>{request.sender}</code>
      </p>
      {request.firstText !== undefined && <blockquote class="p-quote p-clip">{request.firstText}</blockquote>}
      <Outcome of={acting} />
      <div class="p-row">
        <Act acting={acting} work={approve({})} kind="primary">
          {t("approve")}
        </Act>
        <Act acting={acting} work={approve({ role: "operator" })}>
          {t("approveOperator")}
        </Act>
        <Act acting={acting} work={reject} kind="danger">
          {t("reject")}
        </Act>
      </div>
      <div class="p-row p-bottom">
        <Select
          label={t("whoItIs")}
          value={person}
          onValue={setPerson}
          options={[
            { value: "owner", label: t("role_owner") },
            ...people.map((one) => ({ value: one.person, label: one.name ?? one.person })),
          ]}
        />
        <Act acting={acting} work={approve({ person })}>
          {t("isThisPerson")}
        </Act>
      </div>
    </li>
  );
}
