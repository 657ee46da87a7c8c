// The named scenarios in Portuguese: title, and the sentence that says what the scenario shows. English comes with the scenario itself.

export default {
  "anonymous-ring-one": ["Anel 1 com um candidato", "Processos sem nome. Um se candidata: seu voto dá a volta pelos seguidores, chega em casa, e ele é empossado."],
  "anonymous-ring-two": [
    "Anel 1 com dois candidatos",
    "Processos sem nome, e ambos se candidatam ao mesmo tempo. Cada um toma o voto do outro pelo seu: o que um vê o outro vê, e ambos são empossados. Nada em suas histórias os distingue.",
  ],
  "broadcast-sync-all": ["Todos ouvem todos", "No pulso 0 cada candidato envia sua identificação a todos, no pulso 1 todos decidem: n(n-1) mensagens, um pulso, nenhum anúncio."],
  "btcp-duels": [
    "Rádios Bluetooth duelam por votos",
    "Cinco rádios alternam entre procurar e escutar. Cada par que se encontra compara votos; o perdedor entrega tudo o que tem e se cala. Após quatro duelos resta um, que não ouve ninguém durante seu tempo limite e chama os outros quatro.",
  ],
  "btcp-impatient": [
    "Rádios Bluetooth que desistem cedo demais",
    "Com um tempo limite de duas alternâncias os últimos não se encontram a tempo: cada um se julga o único, e há vários coordenadores.",
  ],
  "bully-flapping": ["Um líder instável", "O 5 falha repetidamente por pouco tempo. Cada vez que volta, expulsa do cargo o seu sucessor: duas trocas de líder para cada falha."],
  "bully-mistaken": [
    "Um engano do detector cria dois líderes",
    "O valentão sobre heartbeats. O 3 lidera e fica parado por um tempo. Os outros não ouvem nada, julgam-no morto, e o 2 assume; o 3, que não percebeu nada, ainda lidera: dois líderes. Quando continua, responde aos que lhe perguntaram, e eles voltam a segui-lo.",
  ],
  "bully-seven-steps": [
    "O brigão em sete passos",
    "O 5 lidera e falha; 2 e 3 se cansam de esperar e se candidatam; o 4 responde aos dois, o 3 responde ao 2; o 1 também se candidata, e 2, 3 e 4 lhe respondem; o 4 pergunta ao 5, que falhou, não ouve nada e assume.",
  ],
  "bully-flapping-stable": [
    "Um líder instável e um valentão estável",
    "O 5 falha repetidamente por pouco tempo. Cada falha lhe custa o tempo de execução ininterrupta, que conta antes do id, e ele pergunta pelo líder antes de se candidatar. Assim não depõe ninguém: o 4 assumiu uma vez e fica.",
  ],
  "bully-stable-recovered": [
    "Uma falha conta por um tempo, não para sempre",
    "O 5 falha uma vez no 100 e volta no 200. O 4 assumiu e fica. O 5 perdeu seu tempo de execução e o recupera, uma unidade a cada 100 tiques. Quando o 4 falha no 2.000, a falha é coisa do passado: o 5 está tão forte quanto antes, e lidera.",
  ],
  "bully-tanenbaum": [
    "A Figura 6.19 de Tanenbaum",
    "O 7, o líder, falhou. O 4 convoca uma eleição; 5 e 6 respondem e o mandam parar; cada um convoca a sua; o 6 manda o 5 parar, não ouve nada do 7, vence e informa a todos.",
  ],
  "bully-three-processes": [
    "Três processos encontram um coordenador",
    "Três processos convocam uma eleição, cada um em seu momento entre 30 e 60; o 3 coordena. Quando ele falha, os outros percebem, e o 2 toma o seu lugar.",
  ],
  "capture-k16": [
    "Captura em K_16, nível por nível",
    "Os dezesseis se candidatam juntos e capturam os outros um a um. Um candidato que é dono de 1, 3, 7, 15 outros está no nível 1, 2, 3, 4; quem encontra um (nível, id) maior desiste, e quem tem dono só muda de mãos depois que o dono desistiu. O nível vale mais que o id: o 16 não vence.",
  ],
  "chang-roberts-best": [
    "Chang-Roberts no melhor caso",
    "Os ids crescem no sentido horário: todo candidato, menos o maior, é engolido pelo processo seguinte. 2n - 1 mensagens, e n para anunciar.",
  ],
  "chang-roberts-coulouris": [
    "O anel de Coulouris",
    "O 17 convoca a eleição. No caminho a mensagem assume o maior identificador encontrado até então: 24, depois 28, que volta para casa e vence.",
  ],
  "chang-roberts-listing-worst": [
    "O pior caso de Chang e Roberts, como nas notas",
    "O exercício das notas de aula: como devem estar organizados os nós? Com os ids decrescendo ao longo do anel, no sentido das mensagens. Todos iniciam; o 1 é descartado após um passo, o 2 após dois, e assim por diante, e o 8 dá a volta completa: 1 + 2 + ... + 8 = 36 mensagens, ou seja n(n+1)/2. Só o 8 sabe que lidera.",
  ],
  "chang-roberts-listing-swallowed": [
    "Um candidato é descartado, e ninguém lidera",
    "Chang e Roberts como nas notas de aula. O 3 inicia sozinho. O 4, que não é candidato, descarta o id menor, e acabou. A marca de participante de chang-roberts conserta isso: quem descarta um id se candidata em seu lugar.",
  ],
  "chang-roberts-random": [
    "Chang-Roberts em um anel aleatório",
    "Ids em ordem aleatória: n·H_n mensagens em média, e n para anunciar. Nenhum algoritmo para tais anéis é melhor em média.",
  ],
  "chang-roberts-worst": ["Chang-Roberts no pior caso", "Os ids decrescem no sentido horário: cada candidato viaja até o maior. n(n+1)/2 mensagens, e n para anunciar."],
  "coordinator-dead-holder-no-lease": [
    "Quem está dentro morre, e todos esperam para sempre",
    "O 2 morre na região crítica. Sua autorização só termina com a liberação, que nunca virá: o 3 espera pelo coordenador, e o coordenador pelo morto.",
  ],
  "coordinator-dead-holder": [
    "Quem está dentro morre, e sua concessão expira",
    "O 2 morre na região crítica. Ninguém jamais liberará sua autorização, mas após o timeout o coordenador a dá por perdida e deixa o 3 entrar.",
  ],
  "coordinator-fencing": [
    "O processo lento é recusado",
    "O 2 fica parado na região crítica e, após o timeout, o 3 entra, como sem fencing. Mas cada autorização tem um token, e o do 3 é maior: quando o 2 continua, o recurso recusa seu token vencido. Dois acreditam estar dentro, mas o recurso atende a um.",
  ],
  "coordinator-killed": [
    "O coordenador é morto com uma fila à espera",
    "Um detector, sobre ele uma eleição, e no topo a exclusão mútua. O 4 coordena; o 1 está dentro, 2 e 3 esperam. O 4 morre, e a fila com ele. O detector percebe, o valentão elege o 3, e quem espera pede de novo: nenhuma requisição se perde. Mas o 3 não deixa ninguém entrar, nem a si mesmo, antes que toda autorização que o 4 possa ter dado termine: o 1 ainda está dentro.",
  ],
  "coordinator-slow-holder": [
    "O processo só está lento, e há dois dentro",
    "O 2 fica parado na região crítica. Para o coordenador é como se tivesse morrido: após o timeout deixa o 3 entrar. Mas o 2 está bem; continua de onde parou, dentro, como acredita, e assim há dois.",
  ],
  "coordinator-three": [
    "Um coordenador e três participantes",
    "O 0 coordena. O 1 pede e entra. O 2 pede e tem de esperar na fila. O 1 sai, e o 0 confirma; antes que tenha deixado o próximo entrar, o 3 também pede. Então entra o 2, depois o 3: por ordem de chegada, quatro mensagens cada.",
  ],
  "echo-drowned-waves": [
    "Eco com extinção no pior caso",
    "Os ids crescem ao longo de uma linha, e toda onda corre até o fim antes que a próxima menor a afogue: da ordem de n·m mensagens. Só a onda do 1 volta para casa.",
  ],
  "franklin-listing-eight": [
    "Franklin como nas notas: quem desiste envia menos seu id",
    "A listagem das notas de aula num anel de oito, todos iniciando. Na primeira rodada metade é vencida e envia −p. Esses números não vencem ninguém, mas cada um tem de ser recebido: logo o 8 é o único ativo, e segue por várias rodadas até que todos os números à frente do seu tenham passado, onze ao todo. Em franklin-halving, onde os passivos só repassam, são cinco para dezesseis processos. Os outros não ficam sabendo quem lidera.",
  ],
  "franklin-halving": [
    "Franklin: metade a cada rodada",
    "Dezesseis processos ativos; em cada rodada só continua quem vence os dois vizinhos ativos: 16, 8, 4, 2, 1. A quinta rodada traz ao vencedor seu próprio id dos dois lados.",
  ],
  "ghs-fragments": [
    "Gallager, Humblet e Spira: fragmentos se unem",
    "Oito processos em um cubo fazem crescer a árvore geradora mínima a partir de fragmentos, que se fundem ou se absorvem pelos níveis 1, 2 e 3 até restar um. O 8, o maior extremo do núcleo, lidera.",
  ],
  "gossip-two-rumours": [
    "Um grande grupo em miniatura: poucos retransmissores, dois rumores",
    "O 16 convoca uma eleição, e a convocação se espalha como rumor. Um hash deixa passar cerca de quatro dos 24 membros: 3, 6, 11 e 15. Estes trocam candidaturas; o 6, cujo hash é o menor, vence, e um segundo rumor conta a todos.",
  ],
  "invitation-partition": [
    "Grupos se separam e se unem",
    "Cinco grupos de um se unem em um só por convite. Um particionamento deixa dois grupos, cada um com seu líder, e cada um sabe quem está nele; é isso que o algoritmo promete, não um líder para todos. Quando o canal volta, os líderes se encontram e o mais forte convida o outro com seu grupo.",
  ],
  "itai-rodeh-two": [
    "Dois candidatos sem nome, e moedas",
    "O anel em que ambos assumiram, com moedas: duas vezes sorteiam o mesmo número e sorteiam de novo, e na terceira rodada um fica sozinho com o seu.",
  ],
  "lamport-overtaken": [
    "Lamport quando uma confirmação ultrapassa uma requisição",
    "Canais que não mantêm a ordem. 1 e 2 pedem juntos com carimbos iguais, logo o 1 vem primeiro. Mas a requisição do 1 é lenta, e sua confirmação da requisição do 2, enviada depois no mesmo canal, é rápida: o 2 ouviu todos, não sabe de ninguém à sua frente, e entra. Quando enfim a requisição chega, o 2 a confirma, e o 1 também entra.",
  ],
  "lcr-five": [
    "O LCR nunca descarta: n mensagens até o fim",
    "Os cinco iniciam, e cada mensagem segue adiante: o 5 troca cada id menor pelo seu, e assim cinco mensagens com o id 5 dão mais uma volta antes de acabar em casa. O 5 se anuncia com a primeira. 40 mensagens, n(3n+1)/2 em qualquer ordem; a marca de participante de Chang e Roberts pouparia a maioria.",
  ],
  "lcr-skipping-dead": [
    "LCR: ao próximo que esteja em funcionamento",
    "O 5 lidera até falhar no 30. Os outros percebem no 51 e cada um convoca uma eleição. O 4 está antes do 5 no anel: envia seu id para além dele, ao 2. Quando também o 3 falha, no meio da nova eleição, o 2 o pula. O 4 lidera, e a notícia pula os mortos.",
  ],
  "maekawa-deadlock": [
    "Maekawa sem o conserto: três votos em círculo",
    "Sete processos, e as sete retas do menor plano projetivo como quóruns: {1,2,4} para o 1, {2,3,5} para o 2, {7,1,3} para o 7. Os três querem entrar juntos. 1 e 2 têm seus próprios votos, e o 7 é o primeiro a alcançar o 3. Ao 1 falta o voto do 2, que o 2 deu a si mesmo; ao 2 falta o do 3, que está com o 7; ao 7 falta o do 1, que o 1 deu a si mesmo. Ninguém devolve um voto.",
  ],
  "maekawa-repaired": [
    "Maekawa consertado: quem falhou cede",
    "Os mesmos três de maekawa-deadlock. O 1 diz ao 7 que ele falhou: sua própria requisição vem antes. O 3 votou no 7 e pergunta, porque a requisição do 2 é anterior; o 7 cede, e o 2 entra. Depois dele o 1, e por fim o 7.",
  ],
  "naimi-trehel-reversal": [
    "Cada requisição inverte o caminho",
    "Todos apontam para o 1. Enquanto o 3 está dentro, pedem o 5 e depois o 2: cada requisição vai pelo 1 até quem pediu por último, e a fila é uma corrente, 3, depois 5, depois 2, da qual ninguém guarda mais que um nome. Quando o 3 pede de novo, só sabe que o 5 veio depois dele, e o 5 que veio o 2: a requisição os segue, e agora ambos apontam para o 3.",
  ],
  "quorum-abort-for-ever": [
    "Aborts levam a espera infinita",
    "1, 2 e 3 coordenam, 4 e 5 querem entrar repetidamente. O 4 foi o primeiro. O 5 perde a paciência após 95 tiques, aborta e volta 8 tiques depois que seu abort é confirmado, justo quando o 4 acaba de pedir de novo. Cada vez o 5 já saiu das filas quando o 4 sai, e o 4 está na frente quando o 5 volta. O 4 entra para sempre, e o 5 nunca: um abort abre mão do lugar na fila.",
  ],
  "quorum-abort-overtaken": [
    "Ninguém sofre inanição, e mesmo assim a espera não é limitada",
    "A execução de quorum-abort-random, com um limite: enquanto um espera, os outros podem entrar uma vez. Ambos entram seis vezes, e assim ninguém sofre inanição. Mas o acaso deixa um entrar duas vezes enquanto o outro não tem sorte, uma vez além da conta: a espera limitada é violada, e nenhum limite serviria.",
  ],
  "quorum-abort-random": [
    "O recuo aleatório acaba com a espera",
    "A mesma execução, mas depois de um abort o 5 espera de 1 a 8 tiques, ao acaso. Alguma vez sua requisição chega nos três tiques em que os coordenadores estão livres, e o 5 entra. Ambos entram seis vezes: com probabilidade 1 ninguém sofre inanição. Mas nada limita quantas vezes alguém aborta antes de ter sorte.",
  ],
  "group-amnesia": [
    "Um votante que reinicia e esquece, e o grupo que espera por ele",
    "O 1 tem a trava; 1 e 2 sabem disso, e nada está em disco. O 1 é isolado, e o 2 reinicia e esquece. 2 e 3 são uma maioria, mas o 2 sabe que esqueceu: não vota antes que toda concessão que possa ter dado tenha expirado. Até lá o 1 saiu por si mesmo, e o 3 entra.",
  ],
  "group-amnesia-broken": [
    "Um votante que reinicia, esquece e vota mesmo assim",
    "O 1 tem a trava; 1 e 2 sabem disso, e nada está em disco. O 1 é isolado, e o 2 reinicia e esquece. 2 e 3 são uma maioria, e o 2 vota na hora: o 3 pede ao novo líder, que nunca ouviu falar do 1, e entra. Há dois dentro.",
  ],
  "group-paused-holder": [
    "Um detentor que ficou parado é recusado",
    "O 2 tem a trava e fica parado por mais tempo do que dura sua sessão. Não pode ver seu prazo passar; o líder encerra a sessão, o 3 entra, e quando o 2 continua ainda acredita estar dentro: dois detentores. Mas o token do 3 é maior, e o recurso recusa o 2.",
  ],
  "quorum-amnesia": [
    "Um quórum de 7 com perda de memória: dois dentro",
    "1 a 7 são os coordenadores, 8 e 9 querem entrar. O 8 não alcança 5, 6 e 7, mas tem as autorizações de 1, 2, 3 e 4, que são um quórum, e entra. O 4 falha e, quando volta, esqueceu. Assim o 9 recebe as autorizações de 4, 5, 6 e 7, também um quórum, e entra com o 8 dentro: o único coordenador em ambos os quóruns autorizou duas vezes.",
  ],
  "quorum-back-off": [
    "Recuar desfaz o deadlock de um quórum",
    "Os três querem entrar ao mesmo tempo, e cada um tem uma autorização. Após 10 tiques perdem a paciência, liberam o que têm e voltam depois de um tempo aleatório: um chega cedo o bastante para obter todas de que precisa, e os outros esperam na fila.",
  ],
  "quorum-deadlock": [
    "Um quórum em deadlock: uma autorização para cada",
    "Os três querem entrar ao mesmo tempo. Cada um autoriza primeiro a própria requisição e precisa de mais uma, de alguém que espera igual a ele: o 1 pelo 2, e o 2 pelo 1.",
  ],
  "quorum-durable": [
    "Um quórum de 7 que lembra suas autorizações",
    "A mesma execução, mas com as autorizações em disco. O 4 volta, descobre que autorizou o 8 e pergunta se ainda é necessário. É; assim o 9 só recebe as autorizações de 5, 6 e 7, e entra quando o 8 sai.",
  ],
  "quorum-success": [
    "Um quórum de 7: dois querem entrar, um após o outro",
    "1 a 7 são os coordenadores, 8 e 9 querem entrar, e 4 autorizações são um quórum. O 8 pede aos sete e entra com a quarta autorização. O 9 pede enquanto isso, e os sete o põem na fila. Quando o 8 sai, libera os sete: cada um tira o 9 de sua fila e o autoriza, e o 9 entra com a quarta autorização. Ninguém falha, ninguém desiste.",
  ],
  "quorum-wait-out": [
    "Um quórum de 7 que espera as concessões expirarem",
    "A mesma execução, mas uma autorização vale 50 tiques, e todos sabem disso. O 4 volta no 20 e não lembra nada, por isso não autoriza nada até o 70, quando tudo o que autorizou já expirou. O 8 ficaria mais, mas sai pelo próprio relógio no 51; então 1, 2 e 3 autorizam o 9.",
  ],
  "raft-log-figure": [
    "Entradas que ninguém mais tem são sobrescritas",
    "Cinco processos. O líder é isolado com um seguidor e continua aceitando entradas, mas elas não alcançam maioria e nunca são confirmadas. Os outros três elegem um líder e confirmam duas entradas suas nos mesmos lugares. Quando o canal volta, o líder antigo ouve falar do mandato mais novo, descarta o que conflita e tem o mesmo log que todos os outros.",
  ],
  "raft-partition": [
    "Os mandatos do Raft através de um particionamento",
    "O líder é isolado com um seguidor. Os outros três elegem um novo em um mandato mais novo, e por um tempo há dois líderes, de mandatos diferentes; mas o antigo não alcança maioria. Quando o canal volta, ele ouve do mandato mais novo e renuncia: nunca dois líderes em um mandato.",
  ],
  "raft-weight": [
    "Sem split-brain, pelo peso",
    "O 1 tem três votos de sete. O particionamento lhe deixa dois de cinco processos, mas quatro de sete votos: continua liderando. Os outros três são mais, mas pesam menos, e o pré-voto os impede até de começar um novo mandato. Quando o canal volta, nada mudou.",
  ],
  "raymond-one-request-for-two": [
    "Uma requisição para um ramo inteiro",
    "Enquanto o 1 está dentro, 4 e 5 pedem ao 2, e o 2 pede ao 1 uma vez pelos dois. O privilégio desce ao 4, e o 2 o pede de volta na hora, para o 5. No fim o 7 o busca do outro lado da árvore: 4 saltos para pedir, 4 para voltar, duas vezes o diâmetro.",
  ],
  "ricart-agrawala-tie": [
    "Ricart e Agrawala: números iguais, o menor id primeiro",
    "1 e 3 pedem no mesmo instante, ambos com o número 1. Cada um ouve a requisição do outro enquanto espera. O 3 concorda na hora, porque o 1 tem o menor id; o 1 guarda sua resposta até sair. Cada entrada custa 2(n-1) = 4 mensagens.",
  ],
  "ring-coordinator-two-elections": [
    "Duas eleições em anel ao mesmo tempo",
    "O coordenador 6 falhou; 2 e 5 percebem e enviam cada um uma lista pelo anel, saltando o que falhou. As duas listas voltam, e as duas nomeiam o 5 coordenador.",
  ],
  "silent-crashed": [
    "Silêncio: falhou",
    "O 2 falha. O 1 não ouve mais nada dele e após T = 21 tiques tem de decidir. Decide que o 2 falhou, e acerta. Até esse momento viu exatamente o que vê em silent-slow.",
  ],
  "silent-slow": [
    "Silêncio: só está lento",
    "O 2 fica parado por um tempo. O 1 não ouve mais nada dele e após T = 21 tiques tem de decidir. Decide que o 2 falhou, e erra. Até esse momento viu exatamente o que vê em silent-crashed: ninguém distingue um processo falho de um lento.",
  ],
  "sortition-fork": [
    "Um sorteio com intervalos curtos demais: uma bifurcação, e seu fim",
    "As mensagens levam até 60 tiques, mas um intervalo acaba após 20. Quem ainda não soube do menor bilhete segue outro: uma bifurcação, e mais de um líder. Quando o menor bilhete chega, todos se voltam a ele e no fim concordam.",
  ],
  "sortition-stakes": [
    "Um sorteio por participação",
    "Cinco rodadas entre quatro processos, dos quais o 4 tem sete lotes de dez. Em cada rodada todos calculam o hash de seus lotes; o dono do menor lidera por um intervalo: 1, 4, 3, 4 e 4. Sortear de novo a cada rodada é a intenção, e por isso a estabilidade falha como deve.",
  ],
  "split-brain-bully": [
    "A rede é cortada em duas: os dois coordenadores do valentão",
    "Um detector, sobre ele o valentão, e no topo a exclusão mútua. A rede é cortada entre 1, 2 e 3, 4. Para 1 e 2 é como se os outros estivessem mortos; o 2 assume no lugar do 4 e espera até que as autorizações antigas terminem. Mas o 4 está bem e continua autorizando, do seu lado: dois coordenadores, e dois dentro. Nada conserta isso quando os canais voltam.",
  ],
  "split-brain-raft-light": [
    "A rede é cortada em duas, e o coordenador do Raft está no lado mais leve",
    "O mesmo corte, a mesma demanda, mas o 1 tem dois votos de cinco: 1 e 2 têm três do seu lado e elegem o 2. Por um momento o 4 também lidera, e autoriza, até que lhe falte a maioria e renuncie; mas o 2 espera por isso, e pelo fim da última dessas autorizações, antes de deixar o 1 entrar. O 3 tem de esperar até que os canais voltem. Dois líderes, mas nunca dois dentro.",
  ],
  "split-brain-raft": [
    "A rede é cortada em duas: o único coordenador do Raft, pelo peso",
    "O mesmo corte, a mesma demanda, mas com a eleição do Raft sob a exclusão mútua, na qual o 4 tem dois votos de cinco. Do seu lado o 4 tem três e continua. 1 e 2 têm dois e não elegem ninguém, por mais que tentem: há um só coordenador, e o 1 tem de esperar até que os canais voltem.",
  ],
  "suzuki-kasami-stale-request": [
    "Uma requisição que chega tarde demais",
    "O 2 pede a todos, mas seu pedido leva 60 tiques até o 3. A essa altura o 2 já esteve dentro, depois dele o 1, depois o 3, que ficou com o token: a requisição velha não pode buscá-lo. Seu número diz que já foi atendida. A próxima do 2, um número acima, busca o token. Cada entrada custa n = 3 mensagens, a última nenhuma: o 2 ainda tem o token.",
  ],
  "swim-denial": [
    "SWIM: um suspeito desmente",
    "O 4 fica parado e não responde. É suspeito, (4, 1), e os outros passam isso adiante. Quando continua, ouve o que dizem dele e desmente em sua próxima encarnação, (4, 3); isso também se espalha, e ninguém jamais foi dado por morto.",
  ],
  "swim-detour": [
    "SWIM: um desvio em torno de um canal quebrado",
    "O canal entre 1 e 2 está quebrado. Quando o 1 chama o 2 não ouve nada, e pede aos outros que chamem por ele. Eles alcançam o 2, a resposta volta por eles, e ninguém é suspeito.",
  ],
  "token-ring-lost": [
    "O token se perde com quem o tinha",
    "O 2 falha na região crítica, e leva o token para além. 3 e 1 esperam por um token que não existe mais: o 3 pelo 2, que está morto. Ninguém jamais entrará de novo.",
  ],
  "token-ring-one": [
    "Um anel com token em que um processo quer entrar",
    "Só o 3 quer entrar, duas vezes. Tem de esperar até que o token dê a volta, passando por três processos que não o querem: 4 mensagens de uma entrada à seguinte, em um anel de 4. Se ninguém quisesse entrar, o token viajaria do mesmo jeito.",
  ],
  "token-ring-regenerated": [
    "Um token perdido é regenerado",
    "O 2 falha na região crítica, e o token com ele. Quando o detector avisa, o 1, o primeiro membro vivo, se candidata a uma nova época; 3 e 4 consentem, e o 1 faz um token novo, que salta o 2. Quando o 2 volta há outra eleição, para que esteja na mesma época que os outros. O token da antiga, ainda a caminho, é destruído à vista.",
  ],
  "token-ring-three": [
    "Um anel com token em que 1 e 3 querem entrar",
    "O token começa no 1 e dá duas voltas. O 3 quer entrar e o recebe na primeira volta, o 1 no fim dela, o 3 de novo na segunda: três entradas com 8 mensagens. 2 e 4 só o repassam.",
  ],
  "yoyo-small": [
    "Fonte, interno, vertedouro: sim e não sobem",
    "1 e 2 são fontes, 3 e 4 internos, 5 é o vertedouro. Os dois ids descem até o 5, o 1 pelo 3 e o 2 pelo 4. O 5 vota S (sim) para o 3, que vota S para o 1, e N (não) para o 4, que vota N para o 2. Cada N inverte sua aresta, e assim o 2 é vertedouro na próxima iteração, em que só o id 1 circula e as arestas são podadas.",
  ],
  "yoyo-spider": [
    "YoYo em uma aranha: as fontes não precisam cair pela metade",
    "O corpo, 100, é uma fonte, e cada um de seus cinco pés, 1 a 5, também. A primeira iteração remove só o corpo: cinco de seis fontes sobrevivem. Mas então cada pé alcança o corpo, e a segunda deixa só o 1. O que cai pela metade não é o número de fontes, mas a distância entre elas.",
  ],
  "yoyo-split-brain": [
    "YoYo com o canal entre 2 e 10 cortado: split-brain",
    "A ponte está morta desde o início. Nenhum lado ouve o outro, ambos desistem de esperar após 5 tiques, e cada metade elege seu menor: 2 e 3 lideram. Isto é split-brain: parte da rede vê um processo como líder e parte vê outro.",
  ],
  "yoyo-wikipedia": [
    "YoYo em um grafo como o da Wikipédia",
    "Seis fontes, 2, 3, 4, 5, 11 e 12, enviam seus ids para baixo. Os votos que sobem deixam 2 e 3, depois só o 2, e uma terceira iteração poda as últimas arestas, o que diz ao 2 que está sozinho. Da figura, as notas de aula nomeiam só o canal entre 2 e 10, uma ponte; o resto foi desenhado a partir daí, não copiado.",
  ],
  "ring-collect-five": [
    "Anel 2: uma lista de ids dá a volta",
    "Os cinco iniciam. Cada lista cresce enquanto dá a volta e chega em casa com os cinco ids: todos escolhem o 1, o menor. 25 mensagens, n², e listas de até n ids. Se o 3 tivesse iniciado sozinho, só o 3 saberia que o 1 lidera.",
  ],
  "capture-sync-16": [
    "S_Elect_Leader_C: capturar 1, depois 2, 4, 8",
    "Dezesseis candidatos em pulsos. Em cada pulso par quem resta tenta capturar o dobro de antes; no ímpar cada nó cede ao maior que o tenta, se vencer seu dono. Quem falha uma vez desiste. Os números mostram os candidatos do pulso 2k ao lado de ⌊n/2^(k-1)⌋ (teorema 5.1), capturas e acks ao lado de seus limites (corolário 5.2).",
  ],
  "peterson-eight": [
    "Peterson: Franklin em um só sentido",
    "Num anel de oito cujos canais vão em um só sentido, os ativos trocam ids temporários: cada um adota o do predecessor se for maior que o próprio e que o anterior a ele. No máximo metade está ativa na fase seguinte. No fim vence o 8, por quem quer que carregue o seu id.",
  ],
  "hirschberg-sinclair-eight": [
    "Hirschberg e Sinclair: sondas a distância 1, 2, 4, 8",
    "Cada candidato sonda os dois lados até a distância 2^k, e passa ao próximo k se as duas sondas voltarem. Quem tem um id maior ao alcance descarta a sonda. Assim os candidatos que restam estão cada vez mais distantes, e O(n log n) mensagens bastam nos dois sentidos.",
  ],
  "phi-accrual-level": [
    "A suspeita cresce com o silêncio",
    "A cada 100 tiques cada processo diz aos outros que está vivo. O 3 falha no 1.000. A partir daí φ, o nível com que 1 e 2 suspeitam dele, cresce a cada olhada, cada vez mais depressa, e passa de 8, o limiar. O 2 só para por 80 tiques: φ sobe um pouco e cai com sua próxima batida.",
  ],
  "bully-crash-mid-election": [
    "Quem respondeu falha: T′ expira",
    "O 5, o líder, está falho. O 3 convoca uma eleição no 10, e o 4 responde. O 4 pergunta ao 5 em vão e se anunciaria no 32, mas falha no 20. O 3 espera T′ pelo anúncio, em vão; então convoca de novo, não ouve nada do 4 nem do 5 dentro de T, e assume.",
  ],
  "coordinator-dies": [
    "O coordenador falha e leva consigo a permissão",
    "O 0 coordena. O 1 está dentro, o 2 espera na fila. O 0 falha antes de autorizar o 2, e ninguém mais pode autorizar: o 1 sai e avisa o morto, 2 e 3 esperam para sempre.",
  ],
  "token-ring-member-dies": [
    "Um membro qualquer do anel falha: o anel se interrompe",
    "O 3 não tem o token nem o quer. Falha no 10, com o 1 dentro. Quando o 1 sai, o token vai ao 2 e daí ao 3, onde se perde: o anel é interrompido, e o 4 espera para sempre.",
  ],
  "token-ring-member-skipped": [
    "Um membro qualquer do anel falha, e é pulado",
    "A mesma execução com reparo: o detector acusa o 3, e a partir daí o token o pula. O 4 entra.",
  ],
  "bully-by-weight": [
    "Lidera o mais pesado, e o id desempata",
    "O que faz um bom líder é, digamos, a memória, e não o id: 2 e 4 têm 64, os outros 16 ou menos. O 4 lidera, pois entre dois de mesmo peso decide o id. Quando o 4 falha, assume o 2, à frente de 5 e 3, cujos ids são maiores.",
  ],
  "bully-candidates": [
    "Nem todos são elegíveis",
    "Só 2 e 3 podem liderar. O 5, o maior id, pode convocar uma eleição, mas pergunta e segue apenas os candidatos: o 3 lidera. Quando o 3 falha, lidera o 2.",
  ],
};
