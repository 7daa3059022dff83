/** How the webhook is set up, and its settings. */
export const en = {
  webhook:
    "1. Choose a long random secret and give it to both sides.\n2. Enter the address that takes replies as signed POSTs.\n3. Enter a port if messages shall come in: `POST /webhook` on 127.0.0.1 with `x-margay-timestamp` and `x-margay-signature`.\n4. List the exact ids of senders who may write.",
  secret: "Secret",
  secretWhy: "Signs both directions; 16 characters at least.",
  ways: "Ways",
  url: "Address for replies",
  urlWhy: "Replies are posted there.",
  port: "Port for messages",
  portWhy: "Messages come in there, on 127.0.0.1; 0 is any that is free.",
} as const;
