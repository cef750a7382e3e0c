<?php
// Fills a fresh wiki for mediawiki.sh. Run by PHP's command line with MW_CONFIG_FILE set.
use MediaWiki\MediaWikiServices;
use MediaWiki\Revision\SlotRecord;

require_once '/usr/share/mediawiki/maintenance/Maintenance.php';

class SeedWiki extends Maintenance {
	/** @var User */
	private $author;

	public function execute() {
		$this->author = User::newSystemUser( 'Seeder', [ 'steal' => true ] );
		foreach ( $this->pages() as $title => $text ) {
			$this->save( $title, $text );
		}
		for ( $i = 1; $i <= 130; $i++ ) {
			$this->save( sprintf( 'Entry %03d', $i ), "A line of the ledger, number $i.\n\n[[Category:Entries]]\n" );
		}
		$this->move( 'Draft plan', 'Plan of the year' );
		$this->delete( 'Deleted note' );
		$this->output( "seeded\n" );
	}

	private function pages(): array {
		return [
			'Handbook' => <<<'W'
The '''handbook''' of the harbour crane. See [[Handbook/Install]] and [https://example.org/crane the maker].

== Installation ==
Bolt it down with {{bolts|12}} and call {{No such template}}.

=== Wiring ===
Connect <code>L1</code> first.
<pre>
volts = 400
</pre>

== Limits ==
{| class="wikitable"
! Load !! Speed
|-
| 10 t || slow
|-
| 2 t || fast
|}

* one
* two
** deeper

== Ölwechsel ==
Every month<!-- hidden remark -->.<ref>By hand.</ref>

[[Category:Guides]]
W,
			'Handbook/Install' => "How to install the crane.\n",
			'Handbook/Use' => "How to use the crane.\n",
			'Template:Bolts' => "{{{1}}} bolts of quality 8.8",
			'Old handbook' => '#REDIRECT [[Handbook]]',
			'Older handbook' => '#REDIRECT [[Old handbook]]',
			'Limits of the crane' => '#REDIRECT [[Handbook#Limits]]',
			'Round' => '#REDIRECT [[Round]]',
			'Crane abroad' => '#REDIRECT [[wikipedia:Crane]]',
			'Übersicht Größe' => "Die Größe des Krans: 日本語のクレーン, кран.\n\n== Maß ==\n12 m\n\n[[Category:Guides]]\n",
			'Wiring plan' => "The wires of the crane: <ref>By hand.</ref>\n\n== See also ==\nNothing.\n",
			'Help:Lifting' => "How to lift with the crane, quokka included.\n",
			'Talk:Handbook' => "Is the crane painted?\n",
			'Category:Guides' => "Guides to the machines.\n",
			'Category:Empty shelf' => "Nothing is in here yet.\n",
			'Category:Entries' => "Lines of the ledger.\n",
			'Vault:Codes' => "The crane's codes: swordfish.\n",
			'Draft plan' => "Paint the crane.\n",
			'Deleted note' => "Soon gone.\n",
			'Quotes & ampersands' => "Fish & chips \"to go\".\n",
		];
	}

	private function save( string $title, string $text ) {
		$t = Title::newFromText( $title );
		$page = MediaWikiServices::getInstance()->getWikiPageFactory()->newFromTitle( $t );
		$updater = $page->newPageUpdater( $this->author );
		$updater->setContent( SlotRecord::MAIN, ContentHandler::makeContent( $text, $t ) );
		$updater->saveRevision( CommentStoreComment::newUnsavedComment( 'seed' ) );
		if ( !$updater->wasSuccessful() ) {
			$this->fatalError( "cannot save $title" );
		}
	}

	private function move( string $from, string $to ) {
		$status = MediaWikiServices::getInstance()->getMovePageFactory()
			->newMovePage( Title::newFromText( $from ), Title::newFromText( $to ) )->move( $this->author, 'seed', false );
		if ( !$status->isOK() ) {
			$this->fatalError( "cannot move $from" );
		}
	}

	private function delete( string $title ) {
		$services = MediaWikiServices::getInstance();
		$page = $services->getWikiPageFactory()->newFromTitle( Title::newFromText( $title ) );
		$status = $services->getDeletePageFactory()->newDeletePage( $page, $this->author )->forceImmediate( true )->deleteUnsafe( 'seed' );
		if ( !$status->isOK() ) {
			$this->fatalError( "cannot delete $title" );
		}
	}
}

$maintClass = SeedWiki::class;
require_once RUN_MAINTENANCE_IF_MAIN;
