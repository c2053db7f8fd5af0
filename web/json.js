// JSON as text. What the user wrote and what the server sent is never parsed and written again:
// numbers stay as they are, and so does the order of names (a JavaScript object moves names such as
// "2" to the front).

const kToken = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

function compact(json) {
  return (json.match(kToken) ?? []).join('');
}

function pretty(json) {
  const tokens = json.match(kToken) ?? [];
  let line = '\n', out = '';
  tokens.forEach((token, i) => {
    if (token === '{' || token === '[') {
      line += '  ';
      out += token + (/[}\]]/.test(tokens[i + 1]) ? '' : line);
    } else if (token === '}' || token === ']') {
      line = line.slice(0, -2);
      out += (/^[{[]$/.test(tokens[i - 1]) ? '' : line) + token;
    } else {
      out += token + (token === ',' ? line : token === ':' ? ' ' : '');
    }
  });
  return out;
}

// Indented JSON as nodes: names, texts and the rest in their colours. A long one stays plain.
function coloured(json) {
  if (json.length > 100000) return [json];
  return json.split(/("(?:[^"\\]|\\.)*":?|[\w.+-]+)/).filter((part) => part).map((part) => {
    if (!/^["\w-]/.test(part)) return part;
    const span = document.createElement('span');
    span.className = part.endsWith('":') ? 'json-name' :
        part.startsWith('"')             ? 'json-text' :
                                           'json-other';
    span.textContent = part;
    return span;
  });
}

// Pairs of a name and a JSON text.
function jsonObject(pairs) {
  return '{' + pairs.map(([name, json]) => JSON.stringify(name) + ':' + json).join(',') + '}';
}

function criteriaJson(question) {
  if (question.type === 'score') return JSON.stringify(question.options.map(([, text]) => text));
  const pairs =
      question.type === 'choice' ? question.options : question.outcomes.filter(([, text]) => text);
  if (question.type === 'noul' && pairs.length === 0) return null;
  return jsonObject(pairs.map(([name, text]) => [name, JSON.stringify(text || null)]));
}

function questionJson(question) {
  const pairs = [['type', JSON.stringify(question.type)]];
  if (question.instructions) pairs.push(['instructions', JSON.stringify(question.instructions)]);
  const criteria = criteriaJson(question);
  if (criteria !== null) pairs.push(['criteria', criteria]);
  return jsonObject(pairs);
}

// The body of a request from what readForm() returns.
function requestJson(form) {
  const pairs =
      [['state', form.mode === 'json' ? compact(form.state) : JSON.stringify(form.state)]];
  if (form.overLength) pairs.push(['over_length', JSON.stringify(form.overLength)]);
  pairs.push(['questions', jsonObject(form.questions.map((q) => [q.id, questionJson(q)]))]);
  return jsonObject(pairs);
}

function curlLine(body, withKey) {
  const quoted = '\'' + body.replaceAll('\'', '\'\\\'\'') + '\'';
  const key = withKey ? ' \\\n  -H "Authorization: Bearer $DIKAST_API_KEY"' : '';
  return `curl ${location.origin}/v1/systemone${
      key} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted}`;
}
