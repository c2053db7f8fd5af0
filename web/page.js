// What happens when: asking, planning, the model's identity, language and colours, copy and export.

const examples = JSON.parse($('example-data').textContent);
const kPlanDelay = 250;  // ms after the last key

let last = null;      // the last answer: {text, body, timing}
let identity = null;  // the last /status
let asking = null;    // the AbortController of the request in flight
let planning = null;
let plan = null;
let planTimer = 0;
let before = null;  // the form before an example was loaded or a question removed

// Sends a request with the key, if there is one.
function send(path, options = {}) {
  const headers = {'Content-Type': 'application/json'};
  if ($('key').value) headers.Authorization = `Bearer ${$('key').value}`;
  return fetch(path, {...options, headers, cache: 'no-store'});
}

async function readJson(response) {
  const text = await response.text();
  try {
    return [text, JSON.parse(text)];
  } catch {
    return [text, {detail: text.slice(0, 300) || `HTTP ${response.status}`}];
  }
}

async function ask() {
  if (asking !== null) return asking.abort();
  clearFaults();
  const form = readForm();
  const faults = faultsOf(form);
  if (faults.length > 0) return showFaults(faults);
  setAsking(new AbortController());
  unfade();
  markAsked(form);
  const start = performance.now();
  try {
    const response = await send(
        '/v1/systemone', {method: 'POST', body: requestJson(form), signal: asking.signal});
    const [text, body] = await readJson(response);
    const timing = {
      total: performance.now() - start,
      stages: parseServerTiming(response.headers.get('Server-Timing'))
    };
    if (response.ok)
      showResponse({text, body, timing});
    else
      showFailure(response, body);
  } catch (error) {
    if (error.name === 'AbortError') {
      showNoAnswer(t('stopped'));
    } else {
      showFailure({status: 0}, {detail: t('error_unreachable')});
    }
  }
  setAsking(null);
}

// Bars of an input that has changed since, or of a request before one that failed.
function fade(element) {
  if (last !== null || asking !== null) element.classList.add('stale');
}

function unfade() {
  for (const element of document.querySelectorAll('.stale')) element.classList.remove('stale');
}

function setAsking(controller) {
  asking = controller;
  document.body.classList.toggle('asking', asking !== null);
  $('ask').firstElementChild.textContent = t(asking === null ? 'ask' : 'stop');
  if (asking !== null) $('status').textContent = t('asking');
}

function showResponse(answer) {
  last = answer;
  showLast();
}

function showLast() {
  showCode();
  if (last === null) return;
  showAnswers(last.body.answers);
  showTiming(last.timing);
  const stale = document.querySelector('.stale') !== null;
  $('status').textContent = stale ?
      t('changed') :
      t('answered',
        {n: Object.keys(last.body.answers).length, ms: milliseconds(last.timing.total)});
}

function showNoAnswer(status) {
  fade(document.body);
  $('timing').hidden = true;
  $('status').textContent = status;
}

function showFailure(response, body) {
  showNoAnswer('');
  const faults = faultsIn(body);
  const message = faults[0]?.[1] ?? `HTTP ${response.status}`;
  const wait = response.headers?.get('Retry-After');
  if (response.status === 401 || response.status === 403) {
    $('key-field').hidden = false;
    showFaults([[$('key'), t('error_key', {message})]]);
  } else if (wait) {
    $('failure').textContent = t('error_busy', {message, seconds: wait});
  } else {
    showServerFaults(faults.length > 0 ? faults : [[[], message]]);
  }
}

function planSoon() {
  clearTimeout(planTimer);
  planTimer = setTimeout(planNow, kPlanDelay);
}

async function planNow() {
  planning?.abort();
  const form = readForm();
  plan = null;
  if (faultsOf(form).length > 0) return showPlan(plan);
  planning = new AbortController();
  const {signal} = planning;
  try {
    const response =
        await send('/v1/systemone/plan', {method: 'POST', body: requestJson(form), signal});
    const [, body] = await readJson(response);
    if (response.ok) plan = body;
    showPlan(plan);
    if (response.status === 413) showBudget(1, 0, 1, true, faultsIn(body)[0]?.[1] ?? '');
  } catch {
    if (!signal.aborted) showPlan(null);
  }
}

// Why there is no /status, by the code of the answer.
function statusFault(response) {
  if (response.status === 503) return 'starting';  // the model is being loaded
  return response.status === 401 || response.status === 403 ? 'needs_key' : 'unreachable';
}

async function loadIdentity() {
  try {
    const response = await send('/status');
    const [, body] = await readJson(response);
    identity = response.ok ? body : {fault: statusFault(response)};
  } catch {
    identity = {fault: 'unreachable'};
  }
  if (identity.fault === 'needs_key') $('key-field').hidden = false;
  if (identity.fault === 'starting') setTimeout(loadIdentity, 1000);
  showIdentity();
}

function showIdentity() {
  const model = identity?.model;
  $('identity').dataset.state = identity === null ? 'starting' : identity.fault ?? 'ready';
  $('identity-text').textContent = model?.name ?? t(identity?.fault ?? 'starting');
  const certificate = identity?.certificate?.state;
  $('certificate').hidden = certificate === undefined;
  $('certificate').className = `badge ${certificate}`;
  $('certificate').textContent = t(`certificate.${certificate}`, {}, certificate);
  const facts = ['name', 'family', 'parameters', 'isa', 'threads', 'max_len', 'sha256'].map(
      (key) => [key, model?.[key]]);
  facts.push(['protocol_sha256', identity?.protocol_sha256]);
  const known = facts.filter(([, value]) => value !== undefined && value !== null);
  $('facts').replaceChildren(
      ...known.map(([key, value]) => term(t(key), value.toLocaleString(language), key)));
}

// The nodes to show, and whether there is something to copy and export.
function codeOf(view) {
  if (view === 'answer') {
    return last === null ? [false, [t('no_answer')]] : [true, coloured(pretty(last.text))];
  }
  const form = readForm();
  const faults = faultsOf(form);
  if (faults.length > 0) return [false, [faults.map(([, text]) => text).join('\n')]];
  const body = requestJson(form);
  const withKey = !$('key-field').hidden;
  return [true, view === 'curl' ? [curlLine(body, withKey)] : coloured(pretty(body))];
}

function showCode() {
  const [ready, nodes] = codeOf(checked($('view')));
  $('code').replaceChildren(...nodes);
  $('copy').disabled = $('export').disabled = !ready;
}

async function copyCode() {
  try {
    await navigator.clipboard.writeText($('code').textContent);
  } catch {  // no clipboard outside loopback and HTTPS
    getSelection().selectAllChildren($('code'));
    document.execCommand('copy');
  }
  $('copy').textContent = t('copied');
  setTimeout(() => $('copy').textContent = t('copy'), 1500);
}

// The answer is saved byte for byte as it came.
function exportCode() {
  const view = checked($('view'));
  const text = view === 'answer' ? last.text : $('code').textContent + '\n';
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = view === 'curl' ? 'dikast-curl.txt' : `dikast-${view}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// After a change the request below and the token budget follow, and what no longer holds fades: all
// answers depend on the state, each on its own question, none on its neighbours.
function changed(outdated = null) {
  clearFaults();
  if (outdated !== null) fade(outdated);
  if (outdated !== null && last !== null && asking === null) $('status').textContent = t('changed');
  showCode();
  planSoon();
}

function setLanguage(value) {
  language = value;
  document.documentElement.lang = value === 'zh' ? 'zh-CN' : 'en';
  translate(document);
  clearFaults();
  labelAll();
  showIdentity();
  showLast();
  showPlan(plan);
  if (asking !== null) setAsking(asking);
}

function keepForUndo() {
  before = readForm();
  $('undo').hidden = false;
}

function replaceForm(form) {
  loadForm(form);
  $('status').textContent = '';
  $('timing').hidden = true;
  last = null;
  unfade();
  changed();
}

function undo() {
  replaceForm(before);
  $('undo').hidden = true;
  $('state').focus();
}

function exampleButton(name, form) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'chip';
  button.dataset.t = name;
  button.addEventListener('click', () => {
    keepForUndo();
    replaceForm(form());
  });
  return button;
}

function onQuestionsClick({target}) {
  const card = target.closest('.question');
  const button = target.closest('button');
  if (button === null) return;
  const does = (name) => button.classList.contains(name);
  if (does('up')) move(card, -1);
  if (does('down')) move(card, 1);
  if (does('add-option')) addOption(card);
  if (does('remove-option')) removeOption(button.closest('.option'));
  if (does('remove')) {
    keepForUndo();
    removeQuestion(card);
  }
  changed(does('add-option') || does('remove-option') ? card : null);
}

function onQuestionsInput({target}) {
  const card = target.closest('.question');
  if (target.type === 'radio') convertRows(card);
  if (target.classList.contains('id')) card.setAttribute('aria-label', target.value);
  changed(target.classList.contains('id') ? null : card);
}

function onKey(event) {
  if (event.isComposing || event.key !== 'Enter') return;
  const row = event.target.closest?.('.options > .option');
  if (event.ctrlKey || event.metaKey) {
    if (asking === null) ask();
  } else if (row && !event.shiftKey && event.target.matches('.name, .text')) {
    nextOption(row);
    changed();
  } else {
    return;
  }
  event.preventDefault();
}

function start() {
  $('examples')
      .append(
          ...examples.map((one) => exampleButton(`example.${one.name}`, () => exampleForm(one))),
          exampleButton('blank', () => exampleForm({example: '', questions: {}})));
  loadForm(exampleForm(examples[0]));
  setLanguage(language);
  $('ask').addEventListener('click', ({detail}) => {
    if (detail < 2) ask();  // the second click of two would stop what the first began
  });
  $('undo').addEventListener('click', undo);
  $('add').addEventListener('click', () => {
    addQuestion(newQuestion()).querySelector('.instructions').focus();
    labelAll();
    changed();
  });
  $('questions').addEventListener('click', onQuestionsClick);
  $('questions').addEventListener('input', onQuestionsInput);
  for (const id of ['state', 'state-mode', 'over-length']) {
    $(id).addEventListener('input', () => changed(document.body));
  }
  $('key').addEventListener('change', () => {
    clearFaults();
    loadIdentity();
    planSoon();
  });
  $('view').addEventListener('input', showCode);
  $('copy').addEventListener('click', copyCode);
  $('export').addEventListener('click', exportCode);
  $('language').addEventListener('input', ({target}) => setLanguage(target.value));
  $('theme').addEventListener(
      'input', ({target}) => document.documentElement.dataset.theme = target.value);
  document.addEventListener('keydown', onKey);
  loadIdentity();
  planSoon();
}

start();
