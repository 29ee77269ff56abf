import { Refusal } from "./refusal.ts";

/** Files and fields of a form. */
export interface ReadForm {
  readonly files: readonly File[];
  readonly fields: Readonly<Record<string, string>>;
}

/** Reads a form as a browser sends it. **Errors** 400 for a broken form, for one without a file, and for a field that is given twice. */
export async function readForm(bytes: Uint8Array, type: string): Promise<ReadForm> {
  let form: FormData;
  try {
    form = await new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { "content-type": type } }).formData();
  } catch {
    throw wrong("The form cannot be read", "Send multipart/form-data as a browser does.");
  }
  const files: File[] = [];
  const fields: Record<string, string> = {};
  for (const [name, value] of form) {
    if (typeof value !== "string") files.push(value);
    else if (Object.hasOwn(fields, name)) throw wrong(`The field ${name} is given twice`, "Give each field once.");
    else fields[name] = value;
  }
  if (files.length === 0) throw wrong("The form has no file", "Add a file to it.");
  return { files, fields };
}

function wrong(problem: string, hint: string): Refusal {
  return new Refusal(400, "invalid-argument", `${problem}.`, { hint });
}
