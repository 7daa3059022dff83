export const en = {
  waiting: "{n} {n|question waits|questions wait} for you: {kinds}.",
  more: "More questions wait for you than I ask at once.",
  release: "{n} {n|message|messages}",
  ask_person: "{n} {n|question of somebody|questions of somebody}",
  tool: "{n} {name}",
  comma: ", ",
  words: "`/allow next` asks them one by one, `/deny all` refuses all of them.",
  page: "All of them: {page}",
  "button.next": "One by one",
  "button.all": "Deny all",
} as const;
