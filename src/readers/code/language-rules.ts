import type { Node } from "web-tree-sitter";

import {
  assigned,
  bodyOf,
  callable,
  callWithBlock,
  callWithFunction,
  constant,
  type DefinitionRule,
  declared,
  header,
  method,
  small,
  type,
  variable,
} from "./definition-rules.ts";
import type { GrammarName } from "./grammars.ts";

/** Definitions in a language's syntax tree. Names of nodes are those of its grammar. */
export interface LanguageRules {
  readonly definitions: ReadonlyMap<string, DefinitionRule>;
  /** Nodes around one definition: `export`, decorators, templates. */
  readonly wrappers: ReadonlySet<string>;
  /** Nodes around several definitions, without a name of their own: conditions, `extern "C"`. */
  readonly groups: ReadonlySet<string>;
  /** Nodes that belong to the definition after them: comments, attributes. */
  readonly leads: ReadonlySet<string>;
}

function rules(
  definitions: Readonly<Record<string, DefinitionRule>>,
  { wrappers = "", groups = "", leads = "comment" }: { wrappers?: string; groups?: string; leads?: string } = {},
): LanguageRules {
  return {
    definitions: new Map(Object.entries(definitions)),
    wrappers: new Set(wrappers.split(" ")),
    groups: new Set(groups.split(" ")),
    leads: new Set(leads.split(" ")),
  };
}

const ecmaScript = rules(
  {
    class_declaration: type("class"),
    abstract_class_declaration: type("class"),
    class: type("class", "default"),
    interface_declaration: type("interface"),
    type_alias_declaration: type("type"),
    enum_declaration: type("enum"),
    internal_module: type("namespace"),
    module: type("module"),
    function_declaration: callable(),
    generator_function_declaration: callable(),
    function_expression: callable("default"),
    arrow_function: callable("default"),
    object: small({ title: () => "default" }),
    function_signature: small(callable()),
    method_definition: callable(),
    abstract_method_signature: small(callable()),
    method_signature: small(callable()),
    public_field_definition: variable("name"),
    field_definition: variable("property"),
    lexical_declaration: declared("const"),
    variable_declaration: declared("var"),
    call_expression: callWithFunction,
    assignment_expression: assigned,
  },
  {
    wrappers: "export_statement ambient_declaration expression_statement",
    groups: "ambient_declaration statement_block",
    leads: "comment decorator",
  },
);

const python = rules(
  {
    class_definition: type("class"),
    function_definition: callable(),
    type_alias_statement: small({ title: (node) => `type ${node.childForFieldName("left")?.text}` }),
    assignment: assigned,
  },
  {
    wrappers: "decorated_definition expression_statement",
    groups: "if_statement else_clause elif_clause try_statement except_clause finally_clause with_statement block",
    leads: "comment decorator",
  },
);

const java = rules(
  {
    class_declaration: type("class"),
    interface_declaration: type("interface"),
    enum_declaration: type("enum"),
    record_declaration: type("record"),
    annotation_type_declaration: type("@interface"),
    method_declaration: callable(),
    constructor_declaration: callable(),
    compact_constructor_declaration: callable(),
    field_declaration: constant((node) => node.childForFieldName("declarator")?.childForFieldName("name")?.text),
    constant_declaration: constant((node) => node.childForFieldName("declarator")?.childForFieldName("name")?.text),
  },
  { groups: "enum_body_declarations", leads: "line_comment block_comment" },
);

const csharp = rules(
  {
    namespace_declaration: type("namespace"),
    class_declaration: type("class"),
    struct_declaration: type("struct"),
    interface_declaration: type("interface"),
    enum_declaration: type("enum"),
    record_declaration: type("record"),
    delegate_declaration: small(callable()),
    method_declaration: callable(),
    local_function_statement: callable(),
    constructor_declaration: callable(),
    destructor_declaration: { title: (node) => `~${node.childForFieldName("name")?.text}()` },
    operator_declaration: { title: (node) => `operator ${node.childForFieldName("operator")?.text ?? ""}` },
    indexer_declaration: small({ title: () => "this[]" }),
    property_declaration: constant((node) => node.childForFieldName("name")?.text),
    event_declaration: constant((node) => node.childForFieldName("name")?.text),
    field_declaration: constant(
      (node) =>
        node.namedChildren
          .find((child) => child.type === "variable_declaration")
          ?.namedChildren.find((child) => child.type === "variable_declarator")
          ?.childForFieldName("name")?.text,
    ),
  },
  { groups: "global_statement preproc_if preproc_elif preproc_else", leads: "comment attribute_list" },
);

const go = rules(
  {
    function_declaration: callable(),
    method_declaration: method,
    // A type declared by itself; several in brackets are a group.
    type_declaration: {
      title: (node) => {
        const [only, ...others] = node.namedChildren.filter((child) => /^type_(?:spec|alias)$/.test(child.type));
        return others.length > 0 || only === undefined ? undefined : `type ${only.childForFieldName("name")?.text}`;
      },
    },
    type_spec: { title: (node) => `type ${node.childForFieldName("name")?.text}` },
    const_declaration: constant((node) => firstName(node, "const_spec"), "const"),
    var_declaration: constant((node) => firstName(node, "var_spec"), "var"),
  },
  { groups: "type_declaration" },
);

const rust = rules(
  {
    struct_item: type("struct"),
    enum_item: type("enum"),
    union_item: type("union"),
    trait_item: type("trait"),
    mod_item: type("mod"),
    impl_item: { title: (node) => header(node), body: bodyOf },
    foreign_mod_item: { title: (node) => header(node), body: bodyOf },
    function_item: callable(),
    function_signature_item: small(callable()),
    macro_definition: type("macro"),
    type_item: small(type("type")),
    const_item: constant((node) => node.childForFieldName("name")?.text, "const"),
    static_item: constant((node) => node.childForFieldName("name")?.text, "static"),
  },
  { leads: "line_comment block_comment attribute_item" },
);

const cpp = rules(
  {
    namespace_definition: { title: (node) => `namespace ${node.childForFieldName("name")?.text ?? ""}`, body: bodyOf },
    class_specifier: bodied("class"),
    struct_specifier: bodied("struct"),
    union_specifier: bodied("union"),
    enum_specifier: bodied("enum"),
    concept_definition: type("concept"),
    function_definition: { title: declaratorTitle },
    declaration: small({ title: declaratorTitle }),
    field_declaration: small({ title: declaratorTitle }),
    type_definition: small({ title: (node) => node.childForFieldName("declarator")?.text }),
    alias_declaration: small(type("using")),
    preproc_def: constant((node) => node.childForFieldName("name")?.text, "#define"),
    preproc_function_def: constant((node) => node.childForFieldName("name")?.text, "#define"),
  },
  {
    wrappers: "template_declaration",
    groups:
      "linkage_specification declaration_list preproc_if preproc_ifdef preproc_elif preproc_elifdef preproc_else export_declaration",
    leads: "comment attribute_declaration",
  },
);

const ruby = rules(
  {
    module: type("module"),
    class: type("class"),
    singleton_class: { title: (node) => `class << ${node.childForFieldName("value")?.text}`, body: bodyOf },
    method: callable(),
    singleton_method: {
      title: (node) => `${node.childForFieldName("object")?.text}.${callable().title(node)}`,
    },
    call: callWithBlock,
    assignment: assigned,
  },
  { groups: "if unless begin then else" },
);

const php = rules(
  {
    // `namespace A;` holds the rest of the file, and says so in its own text.
    namespace_definition: bodied("namespace"),
    class_declaration: type("class"),
    interface_declaration: type("interface"),
    trait_declaration: type("trait"),
    enum_declaration: type("enum"),
    function_definition: callable(),
    method_declaration: callable(),
    const_declaration: constant(
      (node) => node.namedChildren.find((child) => child.type === "const_element")?.namedChild(0)?.text,
      "const",
    ),
    property_declaration: constant(
      (node) => node.namedChildren.find((child) => child.type === "property_element")?.childForFieldName("name")?.text,
    ),
    assignment_expression: assigned,
  },
  {
    wrappers: "expression_statement",
    groups: "if_statement compound_statement else_clause else_if_clause",
    leads: "comment attribute_list",
  },
);

const bash = rules({ function_definition: callable() }, { groups: "if_statement" });

/** A type that is defined here, not only named. */
function bodied(keyword: string): DefinitionRule {
  const rule = type(keyword);
  return { ...rule, title: (node) => (bodyOf(node) === undefined ? undefined : rule.title(node)) };
}

function firstName(node: Node, kind: string): string | undefined {
  const [spec, ...others] = node.namedChildren.flatMap((child) =>
    child.type === kind ? [child] : child.namedChildren.filter((inner) => inner.type === kind),
  );
  const name = spec?.childForFieldName("name")?.text;
  return name === undefined || others.length === 0 ? name : `${name} …`;
}

/** `Parser::parse(int depth)`: the declarator says how it is called, below pointers and references. */
function declaratorTitle(node: Node): string | undefined {
  let declarator = node.childForFieldName("declarator");
  for (let depth = 0; declarator !== null && depth < 8; depth++) {
    if (declarator.type === "function_declarator") {
      const name = declarator.childForFieldName("declarator")?.text;
      return name === undefined ? undefined : callable(name).title(declarator);
    }
    const inner = declarator.childForFieldName("declarator") ?? declarator.namedChildren.at(-1) ?? null;
    if (!declarator.type.endsWith("_declarator")) return declarator.text;
    declarator = inner;
  }
  return undefined;
}

const byGrammar: Readonly<Record<GrammarName, LanguageRules>> = {
  typescript: ecmaScript,
  tsx: ecmaScript,
  javascript: ecmaScript,
  python,
  java,
  "c-sharp": csharp,
  go,
  rust,
  cpp,
  ruby,
  php,
  bash,
};

export function rulesOf(grammar: GrammarName): LanguageRules {
  return byGrammar[grammar];
}
