import { expect, it } from "vitest";
import { hideUsers } from "../../src/runtime/hide-secrets.ts";

it.each([
  ["postgres://reader:pw@db/ibid", "postgres://(hidden)@db/ibid"],
  ["postgres://reader:p/w?#@@db/ibid is wrong", "postgres://(hidden)@db/ibid is wrong"],
  ["from postgres://a:b@c/d to postgres://e:f@g/h", "from postgres://(hidden)@c/d to postgres://(hidden)@g/h"],
  ["https://a:b@example.org/@name", "https://(hidden)@example.org/@name"],
  ["https://example.org/@a and b@example.org", "https://example.org/@a and b@example.org"],
])("shows %j without users and passwords", (text, shown) => {
  expect(hideUsers(text)).toBe(shown);
});
